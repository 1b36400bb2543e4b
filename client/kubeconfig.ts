/** Kubeconfig files as kubectl reads them: where a cluster is and how to prove who one is. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { readYaml } from '../base/parse-yaml.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { readIfExists } from '../base/files.ts';

export interface KubeconfigCluster {
	readonly server?: string;
	readonly 'certificate-authority'?: string;
	readonly 'certificate-authority-data'?: string;
	readonly 'insecure-skip-tls-verify'?: boolean;
	readonly 'tls-server-name'?: string;
	readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[] | null;
}

export interface KubeconfigUser {
	readonly 'client-certificate'?: string;
	readonly 'client-certificate-data'?: string;
	readonly 'client-key'?: string;
	readonly 'client-key-data'?: string;
	readonly token?: string;
	readonly tokenFile?: string;
	readonly username?: string;
	readonly password?: string;
	readonly as?: string;
	readonly 'as-uid'?: string;
	readonly 'as-groups'?: readonly string[] | null;
	readonly 'as-user-extra'?: Readonly<Record<string, readonly string[] | null>> | null;
	/** A program that makes credentials (exec-credentials.ts), and what came before those, which is not supported. */
	readonly exec?: unknown;
	readonly 'auth-provider'?: unknown;
}

export interface KubeconfigContext {
	readonly cluster: string;
	readonly user: string;
	readonly namespace?: string;
}

/** A kubeconfig, lists as maps by name; paths in it are absolute. */
export interface Kubeconfig {
	readonly currentContext: string | undefined;
	readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
	readonly users: ReadonlyMap<string, KubeconfigUser>;
	readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

interface Named {
	readonly name: string;
}

interface FileShape {
	readonly 'current-context'?: string;
	readonly clusters?: readonly (Named & { readonly cluster: KubeconfigCluster })[] | null;
	readonly users?: readonly (Named & { readonly user?: KubeconfigUser | null })[] | null;
	readonly contexts?: readonly (Named & { readonly context: KubeconfigContext })[] | null;
}

/** Parses the text of one file; relative paths in it are taken from `folder`. Throws InvalidArgument naming `source`. */
export function parseKubeconfig(text: string, folder: string, source: string): Kubeconfig {
	let file: FileShape | null;
	try {
		file = readYaml(text, { version: '1.1' }) as FileShape | null;
	} catch (cause) {
		throw new AppError('InvalidArgument', `The kubeconfig "${source}" is not valid YAML: ${messageOf(cause)}`, { cause });
	}
	if (file !== null && typeof file !== 'object') throw new AppError('InvalidArgument', `The kubeconfig "${source}" is not a map`);
	const absolute = <T extends object>(entry: T, names: readonly string[]): T => {
		const paths = Object.entries(entry).filter(([k, v]) => names.includes(k) && typeof v === 'string' && v !== '' && !isAbsolute(v));
		return { ...entry, ...Object.fromEntries(paths.map(([k, v]) => [k, resolve(folder, v as string)])) };
	};
	const current = file?.['current-context'];
	return {
		currentContext: current === '' ? undefined : current,
		clusters: new Map((file?.clusters ?? []).map((c) => [c.name, absolute(c.cluster, ['certificate-authority'])])),
		users: new Map((file?.users ?? []).map((u) => [u.name, absolute(u.user ?? {}, ['client-certificate', 'client-key', 'tokenFile'])])),
		contexts: new Map((file?.contexts ?? []).map((c) => [c.name, c.context])),
	};
}

/** Several files as one, as kubectl does: for every name the first file that has it counts. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
	const first = <V>(maps: readonly ReadonlyMap<string, V>[]): ReadonlyMap<string, V> => new Map(maps.toReversed().flatMap((m) => [...m]));
	return {
		currentContext: configs.find((c) => c.currentContext !== undefined)?.currentContext,
		clusters: first(configs.map((c) => c.clusters)),
		users: first(configs.map((c) => c.users)),
		contexts: first(configs.map((c) => c.contexts)),
	};
}

/** Reads and merges files; those that do not exist are left out, as kubectl does. */
export async function loadKubeconfig(paths: readonly string[]): Promise<Kubeconfig> {
	const configs: Kubeconfig[] = [];
	for (const path of paths) {
		const text = await readIfExists(path);
		if (text !== undefined) configs.push(parseKubeconfig(text, dirname(resolve(path)), path));
	}
	return mergeKubeconfigs(configs);
}

/** The files kubectl would read: `$KUBECONFIG` (a list), else ~/.kube/config. */
export function kubeconfigPaths(env: Readonly<Record<string, string | undefined>>): readonly string[] {
	const listed = (env['KUBECONFIG'] ?? '').split(':').filter((p) => p !== '');
	return listed.length > 0 ? listed : [resolve(env['HOME'] ?? '/root', '.kube/config')];
}

/** The bytes of `X-data` (base64), else of the file `X`, else undefined. */
export async function dataOrFile(data: string | undefined, path: string | undefined): Promise<string | undefined> {
	if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
	return path === undefined || path === '' ? undefined : await readFile(path, 'utf8');
}
