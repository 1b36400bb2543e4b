/** Annotations of nodes that once were fields to be: still read as JSON, and refused in the words of Go's (core ValidateNodeSpecificAnnotations). */
import { messageOf } from '../../base/errors.ts';
import { jsonSyntaxError } from '../codec/json-syntax.ts';
import { jsonKind } from '../codec/mismatch.ts';
import { invalidValue, required } from '../field-error.ts';
import type { Taint } from '../gen/types.ts';
import { readTime } from '../time-parse.ts';
import type { Errors } from './rule.ts';
import { taintList } from './taints.ts';

const AT = 'metadata.annotations';
const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

export function nodeAnnotations(out: Errors, annotations: Readonly<Record<string, string>> = {}): void {
	const { [TAINTS]: taints = '', [AVOID]: avoid = '' } = annotations;
	if (taints !== '') {
		const { read, fault } = unmarshalled<readonly ReadTaint[] | null>(taints, TAINT_LIST);
		if (fault !== undefined) out.push(invalidValue(AT, TAINTS, fault));
		else taintList(out, `${AT}.${TAINTS}`, (read ?? []).map(taintOf));
	}
	if (avoid !== '') {
		const { read, fault } = unmarshalled<Avoided | null>(avoid, AVOID_PODS);
		if (fault !== undefined) out.push(invalidValue(`${AT}.AvoidPods`, AVOID, fault));
		for (const [i, entry] of (read?.prefer ?? []).entries()) avoided(out, `${AT}.${AVOID}[${i}].PodSignature`, entry);
	}
}

type ReadTaint = Partial<Record<'key' | 'value' | 'effect' | 'timeAdded', string | null>> | null;
interface Avoided {
	readonly prefer?: readonly (Entry | null)[] | null;
}
interface Entry {
	readonly podSignature?: { readonly podController?: { readonly controller?: boolean | null } | null } | null;
}

const taintOf = (read: ReadTaint): Taint => ({
	key: read?.key ?? '',
	value: read?.value ?? '',
	effect: (read?.effect ?? '') as Taint['effect'],
	timeAdded: read?.timeAdded ?? undefined,
});

function avoided(out: Errors, at: string, entry: Entry | null): void {
	const owner = entry?.podSignature?.podController ?? undefined;
	if (owner === undefined) out.push(required(at));
	else if (owner.controller !== true)
		out.push(invalidValue(`${at}.PodController.Controller`, owner.controller ?? null, 'must point to a controller'));
}

/** What a value is read as: its name in Go, and what it is made of. Members are found whatever the case of their names; others are passed over. */
type Shape =
	| { readonly go: string; readonly kind: 'string' | 'boolean' | 'time' }
	| { readonly go: string; readonly kind: 'array'; readonly item: Shape }
	| { readonly go: string; readonly kind: 'object'; readonly fields: Readonly<Record<string, Field>> };
interface Field {
	/** As Go's errors name it. */
	readonly name: string;
	readonly shape: Shape;
}

const TEXT: Shape = { go: 'string', kind: 'string' };
const BOOL: Shape = { go: 'bool', kind: 'boolean' };
const TIME: Shape = { go: 'string', kind: 'time' };
const field = (name: string, shape: Shape): Field => ({ name, shape });
const tagged = (shapes: Readonly<Record<string, Shape>>): Readonly<Record<string, Field>> =>
	Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, field(name, shape)]));
const listOf = (item: Shape): Shape => ({ go: `[]${item.go}`, kind: 'array', item });

const TAINT_LIST = listOf({
	go: 'core.Taint',
	kind: 'object',
	// The internal type says nothing of JSON, so that its own names are told.
	fields: {
		key: field('Key', TEXT),
		value: field('Value', TEXT),
		effect: field('Effect', { ...TEXT, go: 'core.TaintEffect' }),
		timeAdded: field('TimeAdded', TIME),
	},
});
const OWNER: Shape = {
	go: 'v1.OwnerReference',
	kind: 'object',
	fields: tagged({
		apiVersion: TEXT,
		kind: TEXT,
		name: TEXT,
		uid: { ...TEXT, go: 'types.UID' },
		controller: BOOL,
		blockOwnerDeletion: BOOL,
	}),
};
const SIGNATURE: Shape = { go: 'v1.PodSignature', kind: 'object', fields: tagged({ podController: OWNER }) };
const ENTRY: Shape = {
	go: 'v1.PreferAvoidPodsEntry',
	kind: 'object',
	fields: tagged({ podSignature: SIGNATURE, evictionTime: TIME, reason: TEXT, message: TEXT }),
};
const AVOID_PODS: Shape = { go: 'v1.AvoidPods', kind: 'object', fields: { prefer: field('preferAvoidPods', listOf(ENTRY)) } };

function unmarshalled<T>(text: string, shape: Shape): { readonly read?: T; readonly fault?: string } {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { fault: jsonSyntaxError(text) };
	}
	try {
		return { read: fitted(value, shape, '', []) as T };
	} catch (error) {
		return { fault: messageOf(error) };
	}
}

/** The value with the names of the shape; throws what does not fit. @param struct whose field it is, '' at the top */
function fitted(value: unknown, shape: Shape, struct: string, path: readonly string[]): unknown {
	if (value === null) return null;
	const kind = shape.kind === 'time' ? 'string' : shape.kind;
	if ((Array.isArray(value) ? 'array' : typeof value) !== kind) {
		const where = struct === '' ? 'Go value' : `Go struct field ${struct}.${path.join('.')}`;
		throw new TypeError(`json: cannot unmarshal ${jsonKind(value)} into ${where} of type ${shape.go}`);
	}
	if (shape.kind === 'time') readTime(value as string);
	if (shape.kind === 'array') return (value as readonly unknown[]).map((item) => fitted(item, shape.item, struct, path));
	if (shape.kind !== 'object') return value;
	const own = shape.go.slice(shape.go.indexOf('.') + 1);
	const read: Record<string, unknown> = {};
	for (const [key, inner] of Object.entries(value as object)) {
		const [name, found] = Object.entries(shape.fields).find(([, candidate]) => candidate.name.toLowerCase() === key.toLowerCase()) ?? [];
		if (name !== undefined && found !== undefined) read[name] = fitted(inner, found.shape, own, [...path, found.name]);
	}
	return read;
}
