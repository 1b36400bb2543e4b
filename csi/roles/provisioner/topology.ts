/** Where a volume may be: from a class, the node that the scheduler chose and what the driver says of its nodes, to CSI and back (external-provisioner). Pure. */
import type { CSINode, Node, TopologySelectorTerm, VolumeNodeAffinity } from '../../../api/gen/types.ts';
import { AppError } from '../../../base/errors.ts';
import type { Topology, TopologyRequirement } from '../../proto.ts';
import { driverOn } from '../csi-node.ts';

/** Keys and values, sorted by key. */
type Term = readonly (readonly [key: string, value: string])[];

export interface Where {
	readonly driver: string;
	readonly claimName: string;
	readonly allowed: readonly TopologySelectorTerm[];
	/** '' when the class does not wait for a pod. */
	readonly selectedNode: string;
	/** Only the chosen node's own topology. */
	readonly strict: boolean;
	/** Whether a class that does not wait is told of all there is. */
	readonly immediate: boolean;
	readonly nodes: readonly Node[];
	readonly csiNodes: readonly CSINode[];
}

/** AppError NotFound where the chosen node or its driver is gone; another one where it is to be tried again. */
export function accessibility(where: Where): TopologyRequirement | undefined {
	const { selectedNode, strict, allowed } = where;
	const selected = selectedNode === '' ? undefined : selectedTerm(where);
	const allowedTerms = flatten(allowed);
	let requisite: readonly Term[];
	if (selected !== undefined && strict) {
		if (allowed.length > 0 && !allowedTerms.some((term) => isPartOf(term, selected.term)))
			throw new AppError(
				'FailedPrecondition',
				`selected node '${JSON.stringify(selectedNode)}' topology '${told([selected.term])}' is not in allowed topologies: ${told(allowedTerms)}`,
			);
		requisite = [selected.term];
	} else if (allowed.length > 0) requisite = allowedTerms;
	else if (selected === undefined && !where.immediate) return undefined;
	else requisite = offered(where, selected?.keys);
	if (requisite.length === 0) return undefined;
	const sorted = unique(requisite.toSorted(compare));
	return { requisite: sorted.map(toCsi), preferred: preferred(where, sorted, selected?.term).map(toCsi) };
}

function preferred({ claimName, strict, selectedNode }: Where, requisite: readonly Term[], selected: Term | undefined): readonly Term[] {
	const from = (at: number): readonly Term[] => [...requisite.slice(at), ...requisite.slice(0, at)];
	if (selected === undefined) return from(spread(claimName) % requisite.length);
	if (strict) return requisite;
	const at = requisite.findIndex((term) => isPartOf(term, selected));
	if (at < 0)
		throw new AppError(
			'FailedPrecondition',
			`topology ${told([selected])} from selected node ${JSON.stringify(selectedNode)} is not in requisite: ${told(requisite)}`,
		);
	return from(at);
}

function selectedTerm({ selectedNode, csiNodes, nodes, driver }: Where): { readonly term: Term; readonly keys: readonly string[] } {
	const csiNode = csiNodes.find((n) => n.metadata.name === selectedNode);
	if (csiNode === undefined)
		throw new AppError('NotFound', `failed to get selected CSINode ${selectedNode}: csinode.storage.k8s.io "${selectedNode}" not found`);
	const keys = topologyKeys(csiNode, driver);
	if (keys.length === 0) throw new AppError('FailedPrecondition', `no topology key found for node ${selectedNode}`);
	const labels = nodes.find((n) => n.metadata.name === selectedNode)?.metadata.labels ?? {};
	const term = termOf(labels, keys);
	if (term === undefined)
		throw new AppError(
			'FailedPrecondition',
			`topology labels from selected node ${JSON.stringify(labels)} does not match topology keys from CSINode [${keys.join(' ')}]`,
		);
	return { term, keys };
}

/** All topologies that nodes offer under the keys, or under every set of keys that the driver registered somewhere. */
function offered({ driver, csiNodes, nodes }: Where, keys: readonly string[] | undefined): readonly Term[] {
	const registered = new Map(csiNodes.map((n) => [n.metadata.name, topologyKeys(n, driver)]));
	const sets = keys === undefined ? keySets([...registered.values()]) : [keys];
	if (sets.length === 0) throw new AppError('FailedPrecondition', 'no available topology found');
	const terms = sets.flatMap((set) =>
		nodes.flatMap((node) => {
			const own = registered.get(node.metadata.name) ?? [];
			const term = set.every((key) => own.includes(key)) ? termOf(node.metadata.labels ?? {}, set) : undefined;
			return term === undefined ? [] : [term];
		}),
	);
	if (terms.length === 0)
		throw new AppError(
			'FailedPrecondition',
			`topologyKeys [${sets.map((set) => `[${set.join(' ')}]`).join(' ')}] were not found on any nodes`,
		);
	return terms;
}

function keySets(all: readonly (readonly string[])[]): readonly (readonly string[])[] {
	const sets = new Map(all.filter((keys) => keys.length > 0).map((keys) => [keys.toSorted().join('\0'), keys.toSorted()]));
	return [...sets.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, keys]) => keys);
}

export function topologyKeys(csiNode: CSINode, driver: string): readonly string[] {
	return driverOn(csiNode, driver)?.topologyKeys ?? [];
}

function termOf(labels: Readonly<Record<string, string>>, keys: readonly string[]): Term | undefined {
	const term = keys.toSorted().map((key) => [key, labels[key]] as const);
	return term.every((segment): segment is readonly [string, string] => segment[1] !== undefined) ? term : undefined;
}

/** The or of values within a term, distributed over the and of its keys. */
function flatten(allowed: readonly TopologySelectorTerm[]): readonly Term[] {
	return allowed.flatMap(({ matchLabelExpressions = [] }) => {
		let terms: Term[] = [];
		for (const { key, values } of matchLabelExpressions)
			terms = values.flatMap((value) => (terms.length === 0 ? [[]] : terms).map((term: Term) => [...term, [key, value] as const]));
		return terms.map((term) => term.toSorted(([a], [b]) => (a < b ? -1 : 1)));
	});
}

function compare(a: Term, b: Term): number {
	if (a.length !== b.length) return a.length - b.length;
	const [x, y] = [a.flat(), b.flat()];
	const at = x.findIndex((text, i) => text !== y[i]);
	return at < 0 ? 0 : (x[at] ?? '') < (y[at] ?? '') ? -1 : 1;
}

function unique(sorted: readonly Term[]): readonly Term[] {
	return sorted.filter((term, i) => i === 0 || compare(sorted[i - 1] ?? [], term) !== 0);
}

function isPartOf(term: Term, other: Term): boolean {
	return term.every(([key, value]) => other.some(([k, v]) => k === key && v === value));
}

function toCsi(term: Term): Topology {
	return { segments: Object.fromEntries(term) };
}

function told(terms: readonly Term[]): string {
	return `[${terms.map((term) => `map[${term.map(([key, value]) => `${key}:${value}`).join(' ')}]`).join(' ')}]`;
}

/** Claims of a StatefulSet are spread: by a hash of its name and the ordinal (pkg/volume/util's getPVCNameHashAndIndexOffset). */
function spread(claimName: string): number {
	const ordinal = /^(.*)-(\d{1,10})$/s.exec(claimName);
	if (ordinal?.[1] === undefined || Number(ordinal[2]) >= 2 ** 32) return fnv32(claimName);
	return (fnv32(ordinal[1].slice(ordinal[1].lastIndexOf('-') + 1)) + Number(ordinal[2])) % 2 ** 32;
}

/** FNV-1, 32 bits. */
function fnv32(text: string): number {
	let hash = 0x811c9dc5;
	for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
	return hash;
}

/** Where a volume can be reached, for its PersistentVolume. */
export function nodeAffinity(topologies: readonly Topology[]): VolumeNodeAffinity | undefined {
	if (topologies.length === 0) return undefined;
	const terms = topologies
		.map(({ segments }) => Object.entries(segments))
		.filter((segments) => segments.length > 0)
		.map((segments) => ({ matchExpressions: segments.map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })) }));
	return { required: { nodeSelectorTerms: terms } };
}
