/** The controllers as a part: one set of informers, every controller on it, each acting as a service account of its own. */
import { readFile } from 'node:fs/promises';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { Informers } from '../../client/informers.ts';
import { createControllers } from '../../controlplane/controllers/controllers.ts';
import type { Authority } from '../../wire/tls/authority.ts';
import type { PartDeps } from './apiserver.ts';
import type { ControllerManagerConfig, KeyPairFiles } from './config.ts';

export interface ControllerClients {
	/** The controller manager's own. */
	readonly manager: Client;
	/** Acts as a service account of kube-system. */
	readonly of: (serviceAccount: string) => Client;
}

export async function controllerManagerServices(
	{ signing, serviceAccountKeyFile }: ControllerManagerConfig,
	clients: ControllerClients,
	rootCa: string,
	deps: PartDeps,
	after: readonly string[],
): Promise<readonly Service[]> {
	const log = deps.log.with({ part: 'controller-manager' });
	const client = clients.manager;
	const informers = new Informers({ client, clock: deps.clock, log, name: 'controller-manager-informers', after });
	const serviceAccountKey = serviceAccountKeyFile === undefined ? undefined : await readFile(serviceAccountKeyFile, 'utf8');
	const optional = {
		...(signing === undefined ? {} : { signing: () => readAuthority(signing) }),
		...(serviceAccountKey === undefined ? {} : { serviceAccountKey }),
	};
	const { clock, metrics } = deps;
	return [informers, ...createControllers({ client, clientOf: clients.of, informers, rootCa, clock, metrics, log, ...optional })];
}

async function readAuthority({ certFile, keyFile }: KeyPairFiles): Promise<Authority> {
	const [certPem, keyPem] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
	return { certPem, keyPem };
}
