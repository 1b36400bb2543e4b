/** Writing kubeconfigs: a cluster's own, and its context merged into the user's without touching anything else there. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseDocument, stringify, YAMLMap, YAMLSeq, type Document } from 'yaml';
import { AppError } from '../base/errors.ts';
import { readIfExists, writeNamed } from '../base/files.ts';

export interface Access {
	/** Name of context, cluster and user alike. */
	readonly name: string;
	readonly server: string;
	readonly caPem: string;
	readonly certPem: string;
	readonly keyPem: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function parts(access: Access): { readonly cluster: object; readonly user: object; readonly context: object } {
	return {
		cluster: { name: access.name, cluster: { 'certificate-authority-data': base64(access.caPem), server: access.server } },
		user: { name: access.name, user: { 'client-certificate-data': base64(access.certPem), 'client-key-data': base64(access.keyPem) } },
		context: { name: access.name, context: { cluster: access.name, user: access.name } },
	};
}

/** A whole kubeconfig for one access. */
export function kubeconfigText(access: Access): string {
	const { cluster, user, context } = parts(access);
	return stringify({
		apiVersion: 'v1',
		kind: 'Config',
		clusters: [cluster],
		users: [user],
		contexts: [context],
		'current-context': access.name,
	});
}

/** The file kubectl would write to: the first of $KUBECONFIG that exists, else its last entry, else ~/.kube/config. */
export function userKubeconfigPath(env: NodeJS.ProcessEnv = process.env): string {
	const paths = (env['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean);
	return paths.find((p) => existsSync(p)) ?? paths.at(-1) ?? join(homedir(), '.kube', 'config');
}

/** Text of a kubeconfig with the access added or replaced, and made current. Comments and everything else stay. Pure. */
export function mergeAccess(text: string | undefined, access: Access): string {
	const doc = document(text);
	const { cluster, user, context } = parts(access);
	upsert(doc, 'clusters', cluster);
	upsert(doc, 'users', user);
	upsert(doc, 'contexts', context);
	doc.set('current-context', access.name);
	return doc.toString();
}

/** Text of a kubeconfig without the access of that name; a current context that goes leaves none current. Pure. */
export function removeAccess(text: string, name: string): string {
	const doc = document(text);
	for (const list of ['clusters', 'users', 'contexts']) {
		const seq = doc.get(list);
		if (seq instanceof YAMLSeq) seq.items = seq.items.filter((item) => !(item instanceof YAMLMap && item.get('name') === name));
	}
	if (doc.get('current-context') === name) doc.set('current-context', '');
	return doc.toString();
}

/** Merges into the file; makes it and its folder if need be. */
export async function mergeIntoFile(path: string, access: Access): Promise<void> {
	const text = named(path, await readIfExists(path), (before) => mergeAccess(before, access));
	await write(path, text);
}

export async function removeFromFile(path: string, name: string): Promise<void> {
	const before = await readIfExists(path);
	if (before === undefined) return;
	const text = named(path, before, (t) => removeAccess(t ?? '', name));
	await write(path, text);
}

/** A link to a kubeconfig that is kept elsewhere stays a link. */
async function write(path: string, text: string): Promise<void> {
	await writeNamed(await realpath(path).catch(() => path), text);
}

function named(path: string, text: string | undefined, change: (text: string | undefined) => string): string {
	try {
		return change(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `The kubeconfig "${path}" is not valid YAML. Mend it, or name another file in KUBECONFIG.`, {
			cause,
		});
	}
}

function document(text: string | undefined): Document {
	const doc = parseDocument(text === undefined || text.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : text);
	if (doc.errors[0] !== undefined) throw doc.errors[0];
	if (!(doc.contents instanceof YAMLMap)) throw new AppError('InvalidArgument', 'A kubeconfig is a mapping');
	return doc;
}

function upsert(doc: Document, list: string, item: object): void {
	const name = (item as { name: string }).name;
	let seq = doc.get(list);
	if (!(seq instanceof YAMLSeq)) {
		seq = doc.createNode([]) as unknown as YAMLSeq;
		(seq as YAMLSeq).flow = false;
		doc.set(list, seq);
	}
	const items = (seq as YAMLSeq).items;
	const node = doc.createNode(item);
	const at = items.findIndex((i) => i instanceof YAMLMap && i.get('name') === name);
	if (at < 0) items.push(node);
	else items[at] = node;
}
