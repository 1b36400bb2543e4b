/** The API server as a part: its store opened, its keys read, everything it has by default behind it. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import { createStandardApiServer, type StandardApiServer } from '../../controlplane/apiserver/standard.ts';
import { VERSION } from '../version.ts';
import type { ApiserverConfig, KeyPairFiles } from './config.ts';
import { openStore } from './store.ts';

export interface PartDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}

export interface ApiserverPart {
	readonly server: StandardApiServer;
	readonly service: Service;
	/** Reads the serving certificate again; new connections get it. */
	reload(): Promise<void>;
}

export async function createApiserverPart(config: ApiserverConfig, deps: PartDeps): Promise<ApiserverPart> {
	const read = (path: string): Promise<string> => readFile(path, 'utf8');
	const pair = async ({ certFile, keyFile }: KeyPairFiles): Promise<{ readonly cert: string; readonly key: string }> => ({
		cert: await read(certFile),
		key: await read(keyFile),
	});
	let serving = await pair(config.serving);
	const [clientCa, serviceAccountKey, kubeletClient, store] = await Promise.all([
		read(config.clientCaFile),
		read(config.serviceAccountKeyFile),
		pair(config.kubeletClient),
		openStore(config.store, deps),
	]);
	const issuer = `https://kubernetes.default.svc.${config.clusterDomain}`;
	const server = await createStandardApiServer(
		{
			listen: { host: config.bindAddress, port: config.port, certificate: () => serving, clientCa },
			serviceCidr: config.serviceSubnet,
			clientCa,
			serviceAccountKey,
			issuers: [issuer],
			audiences: [issuer],
			kubeletTls: { ...kubeletClient, ca: clientCa },
			build: { build: `kubeling-${VERSION}`, buildDate: '2026-01-01T00:00:00Z', gitCommit: VERSION },
			advertiseAddress: config.advertiseAddress,
			advertisePort: config.port,
		},
		{ store, ...deps },
	);
	const service: Service = {
		name: 'apiserver',
		after: [],
		async run(signal, ready) {
			try {
				await server.run(signal, ready);
			} finally {
				await store.close();
			}
		},
	};
	return {
		server,
		service,
		async reload() {
			serving = await pair(config.serving);
		},
	};
}
