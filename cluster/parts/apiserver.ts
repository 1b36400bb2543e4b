/** The API server as a part: its store opened, its keys read, everything it has by default behind it. */
import { linked, withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import type { FrontProxyOptions } from '../../controlplane/apiserver/authn/front-proxy.ts';
import { createStandardApiServer, type StandardApiServer } from '../../controlplane/apiserver/standard.ts';
import { usualParts } from '../../controlplane/apiserver/subresources/component-probes.ts';
import type { Component } from '../../controlplane/apiserver/subresources/component-statuses.ts';
import type { Store } from '../../controlplane/storage/store.ts';
import { VERSION } from '../version.ts';
import { DEPRECATED_FLAGS } from './apiserver-flags.ts';
import { apiserverOptions, kubeletAuthority, proxyClientFiles } from './apiserver-options.ts';
import type { ApiserverConfig } from './config.ts';
import { readCertificates, readSigningKey } from './credential-files.ts';
import { flagValues } from './flag-values.ts';
import { fieldsOf, KeyPair } from './key-pair.ts';

export interface PartDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}

export interface ApiserverPart {
	readonly server: StandardApiServer;
	readonly service: Service;
}

/** How long the store may take to say that it is there. */
const STORE_MS = 2000;

/**
 * @param store closed when the service ends
 * @param parts what is told of the parts that are clients of it; others are asked where upstream's are
 */
export async function createApiserverPart(
	config: ApiserverConfig,
	store: Store,
	deps: PartDeps,
	parts: () => readonly Component[] = () => [],
): Promise<ApiserverPart> {
	/** Under upstream's name, whatever the store is. */
	const stored: Component = {
		name: 'etcd-0',
		failsWith: 'error',
		async check(signal) {
			using deadline = withDeadline(deps.clock, STORE_MS, 'The store', signal);
			await store.fresh(undefined, deadline.signal);
			return 'ok';
		},
	};
	const asked = usualParts(deps.clock);
	const known = (told: readonly Component[]): readonly Component[] => asked.map((one) => told.find(({ name }) => name === one.name) ?? one);
	const given = config.flags ?? {};
	for (const [flag, instead] of Object.entries(DEPRECATED_FLAGS))
		if (given[flag] !== undefined) deps.log.warn('a flag is deprecated', { flag: `--${flag}`, instead: `--${instead}` });
	const proxyFlags = proxyClientFiles(given);
	const [serving, kubeletClient, kubeletCa, proxyClient, proxyCa, clientCa, serviceAccountKey] = await Promise.all([
		KeyPair.open(config.serving, fieldsOf('serving')),
		KeyPair.open(config.kubeletClient, fieldsOf('kubeletClient')),
		kubeletAuthority(given),
		proxyFlags === undefined
			? config.frontProxy && KeyPair.open(config.frontProxy.client, fieldsOf('frontProxy.client'))
			: KeyPair.open(proxyFlags, ['--proxy-client-cert-file', '--proxy-client-key-file']),
		config.frontProxy === undefined ? '' : readCertificates('frontProxy.caFile', config.frontProxy.caFile),
		readCertificates('clientCaFile', config.clientCaFile),
		readSigningKey('serviceAccountKeyFile', config.serviceAccountKeyFile),
	]);
	if (kubeletCa === '') deps.log.warn('certificates of kubelets are not verified', { instead: '--kubelet-certificate-authority' });
	const options = await apiserverOptions(given, config.encryptionConfigFile);
	const frontProxy = options.frontProxy ?? (proxyCa === '' ? undefined : ourFrontProxy(proxyCa));
	const issuer = `https://kubernetes.default.svc.${config.clusterDomain}`;
	const server = await createStandardApiServer(
		{
			listen: {
				host: config.bindAddress,
				port: config.port,
				certificate: () => asTls(serving),
				// Clients look for an authority of theirs before they show a certificate.
				clientCa: [clientCa, frontProxy?.clientCa ?? ''].join('\n'),
			},
			components: () => [...known(parts()), stored],
			serviceCidr: config.serviceSubnet,
			clientCa,
			serviceAccountKey,
			issuers: [issuer],
			kubeletTls: () => ({ ...asTls(kubeletClient), ...(kubeletCa === '' ? {} : { ca: kubeletCa }) }),
			build: { build: `kubeling-${VERSION}`, buildDate: '2026-01-01T00:00:00Z', gitCommit: VERSION },
			advertiseAddress: config.advertiseAddress,
			advertisePort: config.port,
			flags: flagValues(config),
			...options,
			frontProxy,
			...(proxyClient === undefined ? {} : { proxyClient: () => asTls(proxyClient) }),
		},
		{ store, ...deps },
	);
	const service: Service = {
		name: 'apiserver',
		after: [],
		async run(signal, ready) {
			try {
				using link = linked(signal);
				const following = [serving, kubeletClient, ...(proxyClient === undefined ? [] : [proxyClient])].map((pair) =>
					pair.follow(deps.clock, deps.log, link.signal),
				);
				await server.run(signal, ready).finally(() => link.abort());
				await Promise.all(following);
			} finally {
				await store.close();
			}
		},
	};
	return {
		server,
		service,
	};
}

/** Who shows our own proxy's certificate may say who asks: aggregated servers read this too, from kube-system. */
function ourFrontProxy(clientCa: string): FrontProxyOptions {
	return {
		clientCa,
		allowedNames: ['front-proxy-client'],
		usernameHeaders: ['X-Remote-User'],
		uidHeaders: ['X-Remote-Uid'],
		groupHeaders: ['X-Remote-Group'],
		extraHeaderPrefixes: ['X-Remote-Extra-'],
	};
}

function asTls({ certPem, keyPem }: KeyPair): { readonly cert: string; readonly key: string } {
	return { cert: certPem, key: keyPem };
}
