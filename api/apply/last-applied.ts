/** The annotation of client-side apply, as the manager "kubectl" upgrades from it: what it applied last is its own, and the annotation follows what it applies now. */
import { parseJson } from '../codec/json-text.ts';
import type { KubeObject } from '../resource.ts';
import { check } from './check.ts';
import { compare } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { setOf } from './set-of.ts';
import { isFields, type Fields, type ObjectShape } from './shape.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Other managers opt out by their name. */
export const UPGRADING_MANAGER = 'kubectl';

/** The fields that stand in the live object as the annotation has them: others' claims on them are no conflicts. Undefined: no such annotation, or none that fits. */
export function lastAppliedFields({ shape }: ObjectShape, live: Fields, apiVersion: string): FieldSet | undefined {
	const text = annotationsOf(live)?.[LAST_APPLIED];
	if (typeof text !== 'string' || text === '') return undefined;
	const applied = parsed(text);
	if (applied === undefined || applied['apiVersion'] !== apiVersion || check(shape, applied, false) !== undefined) return undefined;
	const { modified, added, removed } = compare(shape, applied, live);
	return setOf(shape, applied).difference(modified).difference(added).difference(removed);
}

/** The annotations with the configuration as it is applied now, where they had one before. */
export function withLastApplied(annotations: Fields | undefined, config: KubeObject): Fields | undefined {
	if (annotations === undefined || (annotations[LAST_APPLIED] ?? '') === '') return annotations;
	const given = annotationsOf(config as unknown as Fields);
	const { [LAST_APPLIED]: _, ...rest } = given ?? {};
	const { annotations: __, ...metadata } = (config.metadata ?? {}) as Fields;
	const applied = { ...config, metadata: given === undefined ? metadata : { ...metadata, annotations: rest } };
	const out = { ...annotations, [LAST_APPLIED]: `${JSON.stringify(sorted(applied))}\n` };
	const size = Object.entries(out).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0);
	if (size <= MAX_ANNOTATIONS_BYTES) return out;
	const { [LAST_APPLIED]: ___, ...without } = out;
	return without;
}

function annotationsOf(object: Fields): Fields | undefined {
	const { metadata } = object;
	const found = isFields(metadata) ? metadata['annotations'] : undefined;
	return isFields(found) ? found : undefined;
}

function parsed(text: string): Fields | undefined {
	try {
		const value = parseJson(text);
		return isFields(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Keys sorted, as Go writes maps. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (!isFields(value)) return value;
	const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
