/** Where the API server keeps its objects, from its configuration: a database of its own, or an etcd that several servers may share. */
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { linked } from '../../base/abort.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { LiveSealing } from '../../controlplane/storage/encryption/live-sealing.ts';
import type { EtcdStoreOptions } from '../../controlplane/storage/etcd/etcd-store.ts';
import { openSqliteStore } from '../../controlplane/storage/sqlite-store.ts';
import type { Store } from '../../controlplane/storage/store.ts';
import type { ApiserverConfig, EtcdConfig } from './config.ts';
import { Flags } from './flags.ts';

/** How long an etcd that is not there yet is waited for (upstream: one minute of storage initialisation). */
const WAIT = { initialMs: 200, maxMs: 2000 };
const ATTEMPTS = 30;

type Configured = Pick<ApiserverConfig, 'store' | 'encryptionConfigFile' | 'serviceSubnet' | 'flags'>;

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
}

/** A store on its way, while something else is being done; it is closed with its disposal, whatever became of it. */
export interface OpeningStore extends AsyncDisposable {
	readonly store: Promise<Store>;
}

/** Starts to open what {@link openStore} opens; an error is for who awaits the store. */
export function openingStore(config: Configured, deps: Deps, signal: AbortSignal): OpeningStore {
	const link = linked(signal);
	const store = openStore(config, deps, link.signal);
	store.catch(() => {});
	return {
		store,
		async [Symbol.asyncDispose]() {
			link.abort();
			await store.then(
				(opened) => opened.close(),
				() => {},
			);
		},
	};
}

/** AppErrors name what in the encryption configuration is wrong. @param signal gives up waiting for an etcd */
export async function openStore(
	{ store: config, encryptionConfigFile, serviceSubnet, flags = {} }: Configured,
	{ clock, log }: Deps,
	signal: AbortSignal = new AbortController().signal,
): Promise<Store> {
	const sealing = encryptionConfigFile === undefined ? undefined : await readSealing(encryptionConfigFile, clock);
	if (config.type === 'etcd') return openEtcd(config, serviceSubnet, new Flags(flags), sealing, { clock, log }, signal);
	return openSqliteStore({
		path: config.path,
		clock,
		...(sealing === undefined ? {} : { sealing }),
		...(import.meta.url.endsWith('.ts') ? {} : { workerUrl: new URL('./sqlite-worker.js', import.meta.url) }),
	});
}

async function readSealing(path: string, clock: Clock): Promise<LiveSealing> {
	const [{ LiveSealing }, { sealingOf }, { Transformations }] = await Promise.all([
		import('../../controlplane/storage/encryption/live-sealing.ts'),
		import('../../controlplane/storage/encryption/read.ts'),
		import('../../controlplane/storage/encryption/transformations.ts'),
	]);
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the encryption configuration "${path}": ${messageOf(cause)}`, { cause });
	}
	const counted = new Transformations(clock);
	try {
		return new LiveSealing(await sealingOf(text, counted), text, counted);
	} catch (cause) {
		throw new AppError(codeOf(cause), `The encryption configuration "${path}" is wrong: ${messageOf(cause)}`, { cause });
	}
}

async function openEtcd(
	config: EtcdConfig,
	serviceSubnet: string,
	flags: Flags,
	sealing: LiveSealing | undefined,
	{ clock, log }: Deps,
	signal: AbortSignal,
): Promise<Store> {
	const [{ openEtcdStore }, { upstreamForm }] = await Promise.all([
		import('../../controlplane/storage/etcd/etcd-store.ts'),
		import('../../controlplane/apiserver/stored/upstream-form.ts'),
	]);
	const primary = isIPv6(serviceSubnet.split('/', 1)[0] ?? '') ? 'IPv6' : 'IPv4';
	const isJson = isStoredAsJson(flags);
	const { endpoints, prefix = '/registry', caFile, certFile, keyFile } = config;
	const read = async (path: string | undefined): Promise<string | undefined> =>
		path === undefined ? undefined : await readFile(path, 'utf8');
	const [caPem, certPem, keyPem] = await Promise.all([read(caFile), read(certFile), read(keyFile)]);
	const options: EtcdStoreOptions = {
		endpoints,
		...(caPem === undefined
			? {}
			: { tls: { caPem, ...(certPem === undefined ? {} : { certPem }), ...(keyPem === undefined ? {} : { keyPem }) } }),
		form: upstreamForm(`${prefix.replace(/\/$/, '')}/`, sealing?.of, primary, isJson),
		leaseReuseMs: flags.number('lease-reuse-duration-seconds', 60) * 1000,
		...(sealing === undefined ? {} : { sealing }),
		clock,
		log,
	};
	return retrying(
		clock,
		WAIT,
		signal,
		() => openEtcdStore(options),
		(error, attempt) => {
			if (codeOf(error) !== 'Unavailable' || attempt >= ATTEMPTS) return false;
			log.warn('waiting for etcd', { why: messageOf(error) });
			return true;
		},
	);
}

/** What upstream would write besides (YAML, CBOR) is refused. */
function isStoredAsJson(flags: Flags): boolean {
	return flags.oneOf('storage-media-type', ['application/vnd.kubernetes.protobuf', 'application/json']) === 'application/json';
}
