/** The controllers as a part: one set of informers, every controller on it, each acting as a service account of its own. */
import { readFile } from 'node:fs/promises';
import { begunLater, type Service } from '../../base/service.ts';
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

/** @param later when those begin that the first pod does not wait for: forty informers take a tenth of a start; with the others unless told */
export async function controllerManagerServices(
	{ signing, serviceAccountKeyFile }: ControllerManagerConfig,
	clients: ControllerClients,
	rootCa: string,
	deps: PartDeps,
	after: readonly string[],
	later?: (signal: AbortSignal) => Promise<void>,
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
	const all = { client, clientOf: clients.of, informers, rootCa, clock, metrics, log, ...optional };
	if (later === undefined) return [informers, ...createControllers(all)];
	const others = { name: 'other-controllers', after: [informers.name] };
	return [
		informers,
		...createControllers({ ...all, which: 'first' }),
		begunLater(others, later, () => createControllers({ ...all, which: 'others', after: [] })),
	];
}

async function readAuthority({ certFile, keyFile }: KeyPairFiles): Promise<Authority> {
	const [certPem, keyPem] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
	return { certPem, keyPem };
}
