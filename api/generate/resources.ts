/** Writes the registry of resources: `gen/resources.ts`, one constant a resource. */
import { splitGroupVersion, type ContractType, type ResourceLine } from './contract.ts';

const HEAD = `/** Every resource of the Kubernetes 1.36 API, generated from api/contract by api/generate. Do not edit. */
import type * as types from './types.ts';
import type { KubeObject, ResourceRow } from '../resource.ts';
`;

export function resourcesSource(
	lines: readonly ResourceLine[],
	types: ReadonlyMap<string, ContractType>,
	names: ReadonlyMap<string, string>,
): string {
	const byKind = new Map(
		[...types].flatMap(([full, type]) => (type.gvk ?? []).map(([g, v, k]): [string, string] => [`${g}/${v}/${k}`, names.get(full) ?? ''])),
	);
	const main = lines.filter((line) => !line.resource.includes('/'));
	const constants = main.map((line) => constantName(line));
	const declarations = main.map((line, i) => {
		const [group, version] = splitGroupVersion(line.kindGroupVersion);
		const subresources = lines.filter((l) => l.groupVersion === line.groupVersion && l.resource.startsWith(`${line.resource}/`));
		return declaration(constants[i] ?? '', line, subresources, byKind.get(`${group}/${version}/${line.kind}`));
	});
	const all = [
		"/** All of them, in discovery's order. */",
		'export const RESOURCES: readonly ResourceRow[] = [',
		...constants.map((c) => `\t${c},`),
		'] as readonly unknown[] as readonly ResourceRow[];',
	];
	return `${HEAD}\n${declarations.join('\n')}\n\n${all.join('\n')}\n`;
}

function declaration(constant: string, line: ResourceLine, subresources: readonly ResourceLine[], type: string | undefined): string {
	const [group, version] = splitGroupVersion(line.groupVersion);
	const rows = subresources.flatMap((s) => {
		const [kindGroup, kindVersion] = splitGroupVersion(s.kindGroupVersion);
		const cells = [
			`name: ${quote(subName(s))}`,
			`kind: ${quote(s.kind)}`,
			`kindGroup: ${quote(kindGroup)}`,
			`kindVersion: ${quote(kindVersion)}`,
			`verbs: ${list(s.verbs)}`,
		];
		return ['\t\t{', ...cells.map((cell) => `\t\t\t${cell},`), '\t\t},'];
	});
	return [
		`export const ${constant}: ResourceRow${type === undefined ? '' : `<types.${type} & KubeObject>`} = {`,
		`\tgroup: ${quote(group)},`,
		`\tversion: ${quote(version)},`,
		`\tkind: ${quote(line.kind)},`,
		`\tplural: ${quote(line.resource)},`,
		`\tnamespaced: ${line.namespaced === 'True'},`,
		`\tsingular: ${quote(line.singular)},`,
		`\tverbs: ${list(line.verbs)},`,
		`\tshortNames: ${list(line.shortNames)},`,
		`\tcategories: ${list(line.categories)},`,
		`\tsubresources: [${subresources.map((s) => quote(subName(s))).join(', ')}],`,
		...(rows.length === 0 ? ['\trows: [],'] : ['\trows: [', ...rows, '\t],']),
		'};',
	].join('\n');
}

const quote = (text: string): string => `'${text}'`;
const list = (cell: string): string => `[${cell === '' ? '' : cell.split(',').map(quote).join(', ')}]`;
const subName = (line: ResourceLine): string => line.resource.slice(line.resource.indexOf('/') + 1);

/** The kind's plural in capitals: PODS, INGRESS_CLASSES, EVENTS_EVENTS (events.k8s.io), AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALERS. */
function constantName(line: ResourceLine): string {
	const [group, version] = splitGroupVersion(line.groupVersion);
	const words = line.kind.replaceAll(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, '_$&').toUpperCase();
	const name = plural(words, line);
	if (group === 'autoscaling' && version === 'v1') return `AUTOSCALING_V1_${name}`;
	return group === 'events.k8s.io' ? `EVENTS_${name}` : name;
}

function plural(words: string, { kind, resource }: ResourceLine): string {
	if (resource === kind.toLowerCase()) return words;
	if (words.endsWith('Y') && resource.endsWith('ies')) return `${words.slice(0, -1)}IES`;
	return `${words}${words.endsWith('S') && resource.endsWith('es') ? 'ES' : 'S'}`;
}
