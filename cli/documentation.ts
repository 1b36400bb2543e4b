/**
 * Field descriptions for the bundle: read from the official JavaScript client package when the bundle is made, never committed.
 * Written as one object: the contract's name of a type ("core/v1.Pod") to its fields' descriptions; the type's own stands under "".
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Documentation = Record<string, Record<string, string>>;

const CLASS = /\/\*\*\n((?:\* .*\n)*)\*\/\nexport declare class/;
const FIELD = / {4}\/\*\*\n((?: {4}\*.*\n)*?) {4}\*\/\n {4}'([^']+)'\??:/g;

/** Writes the descriptions of the contract's types to `file`. */
export async function writeDocumentation(root: string, file: string): Promise<void> {
	const models = join(root, 'node_modules', '@kubernetes', 'client-node', 'dist', 'gen', 'models');
	const contract = JSON.parse(await readFile(join(root, 'api', 'contract', 'types.json'), 'utf8')) as Record<string, unknown>;
	const classes = new Set((await readdir(models)).filter((name) => name.endsWith('.d.ts')).map((name) => name.slice(0, -'.d.ts'.length)));
	const found: Documentation = {};
	for (const type of Object.keys(contract)) {
		const name = classNames(type).find((candidate) => classes.has(candidate));
		if (name !== undefined) found[type] = described(await readFile(join(models, `${name}.d.ts`), 'utf8'));
	}
	const requests = await readFile(join(models, '..', 'types', 'ObjectParamAPI.d.ts'), 'utf8');
	for (const [type, request] of Object.entries(OPTIONS)) found[type] ??= parametersOf(requests, request);
	// Their paragraphs end with two spaces there.
	const list = Object.entries(found['meta/v1.ListOptions'] ?? {}).map(([name, comment]) => [name, comment.replaceAll('.  ', '.\n\n')]);
	found['meta/v1.ListOptions'] = Object.fromEntries(list) as Record<string, string>;
	await writeFile(file, JSON.stringify(found));
}

/** Options are no models of the client: their fields are parameters of a request. */
const OPTIONS: Readonly<Record<string, string>> = {
	'meta/v1.ListOptions': 'ListNamespacedConfigMap',
	'meta/v1.CreateOptions': 'CreateNamespacedConfigMap',
	'meta/v1.PatchOptions': 'PatchNamespacedConfigMap',
	'core/v1.PodLogOptions': 'ReadNamespacedPodLog',
	'core/v1.PodExecOptions': 'ConnectGetNamespacedPodExec',
	'core/v1.PodAttachOptions': 'ConnectGetNamespacedPodAttach',
	'core/v1.PodPortForwardOptions': 'ConnectGetNamespacedPodPortforward',
	'core/v1.PodProxyOptions': 'ConnectGetNamespacedPodProxy',
	'core/v1.ServiceProxyOptions': 'ConnectGetNamespacedServiceProxy',
	'core/v1.NodeProxyOptions': 'ConnectGetNodeProxy',
};
const PARAMETER = / {4}\/\*\*\n {5}\* (.*)\n {5}\* Defaults to[^]*?\*\/\n {4}(\w+)\??:/g;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>' };

function parametersOf(text: string, request: string): Record<string, string> {
	const from = text.indexOf(`interface CoreV1Api${request}Request {`);
	const fields: Record<string, string> = {};
	for (const [, comment = '', name = ''] of text.slice(from, text.indexOf('\n}', from)).matchAll(PARAMETER))
		fields[name.replace(/^_/, '')] = plain(comment).replaceAll(/&(#x?)?(\w+);/g, (_, number: string | undefined, code: string) =>
			number === undefined ? (ENTITIES[code] ?? '') : String.fromCodePoint(Number.parseInt(code, number === '#x' ? 16 : 10)),
		);
	return fields;
}

/** "core/v1.Event": the client says CoreV1Event where a name is used by several groups, else V1Event. */
function classNames(type: string): string[] {
	const dot = type.lastIndexOf('.');
	const [group = '', version = ''] = type.slice(0, dot).split('/');
	const short = type.slice(dot + 1);
	return [`${capital(group)}${capital(version)}${short}`, `${capital(version)}${short}`];
}

function described(text: string): Record<string, string> {
	const fields: Record<string, string> = {};
	const own = CLASS.exec(text)?.[1];
	if (own !== undefined) fields[''] = plain(own);
	// A name that is a reserved word has an underscore in front.
	for (const [, comment = '', name = ''] of text.matchAll(FIELD)) fields[name.replace(/^_/, '')] = plain(comment);
	return fields;
}

/** The text of a comment: without asterisks and the escapes of quotes. */
function plain(comment: string): string {
	const lines = comment.split('\n').map((line) => line.trim().replace(/^\* ?/, ''));
	return lines.join('\n').trim().replaceAll(/\\(.)/g, '$1');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
