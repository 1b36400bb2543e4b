/** Patches of all three kinds and server-side apply, on objects of built-in kinds. */
import { decodeObject, type Decoding } from '../../../api/codec/codec.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { mergePatch } from '../../../api/patch/merge.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { ManagedFieldsEntry } from '../../../api/gen/types.ts';
import { validateCreate } from '../../../api/validation/validation.ts';
import type { Caller } from '../../../controlplane/apiserver/registry/context.ts';
import type { Kind } from '../../../controlplane/apiserver/registry/kinds.ts';
import { applied } from '../../../controlplane/apiserver/registry/managed-fields.ts';
import type { AskedPatch } from '../../../controlplane/apiserver/registry/patch-request.ts';
import { patched } from '../../../controlplane/apiserver/registry/patch.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { Choose } from '../choose.ts';
import { mustEqual, type Target } from '../fuzz.ts';
import { anyJson, editedJson, withoutEmpty } from '../json.ts';
import { anyKind, objectOfKind } from '../objects.ts';
import { edited, words } from '../text.ts';

interface Patching {
	readonly kind: KindName;
	readonly current: Record<string, unknown>;
	readonly patch: unknown;
}

const options: AskedPatch['options'] = {
	kind: 'PatchOptions',
	dryRun: false,
	fieldManager: '',
	fieldValidation: 'Ignore',
	force: undefined,
};
const decoding: Decoding = { strictness: 'Ignore', warn: () => {} };

/** A stored object of the kind; a bare one where the choices make none. */
function stored(choose: Choose, kind: KindName): Record<string, unknown> {
	const object = objectOfKind(choose, kind);
	try {
		return decodeObject(object, kind, decoding);
	} catch {
		return { apiVersion: object['apiVersion'], kind: kind.kind, metadata: { name: 'a' } };
	}
}

/** Patches as the server does, and sees that the object itself is left alone. */
function patchAs(type: AskedPatch['type'], { kind, current, patch }: Patching): void {
	const before = JSON.stringify(current);
	const asked: AskedPatch = { type, bytes: Buffer.from(JSON.stringify(patch)), options };
	patched(asked, kind, current as unknown as KubeObject, () => {});
	mustEqual(JSON.stringify(current), before, 'the object before');
}

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test', 'nothing'];
const STEPS = [
	'',
	'/',
	'/metadata',
	'/labels',
	'/spec',
	'/containers',
	'/0',
	'/1',
	'/-',
	'/-1',
	'/a',
	'/name',
	'/__proto__',
	'/constructor',
	'/~0',
	'/~1',
	'/99999999999',
];

export const jsonPatch: Target<Patching> = {
	name: 'json patches',
	input(choose) {
		const kind = anyKind(choose);
		const path = (): unknown => (choose.chance(3) ? anyJson(choose, 1) : words(choose, STEPS, 4).replaceAll(' ', ''));
		const operation = (): unknown => ({ op: choose.pick(OPERATIONS), path: path(), from: path(), value: anyJson(choose, 2) });
		const patch = choose.several(6, operation);
		return { kind, current: stored(choose, kind), patch: choose.chance(20) ? editedJson(choose, patch) : patch };
	},
	check: (input) => patchAs('json', input),
};

export const merge: Target<Patching> = {
	name: 'merge patches',
	input(choose) {
		const kind = anyKind(choose);
		return { kind, current: stored(choose, kind), patch: editedJson(choose, objectOfKind(choose, kind)) };
	},
	check(input) {
		patchAs('merge', input);
		const once = mergePatch(input.current, input.patch);
		// A list that replaces an object keeps its nulls, and loses them when it is replaced in turn.
		const twice = mergePatch(once, input.patch);
		mustEqual(mergePatch(twice, input.patch), twice, 'patched again');
	},
};

const DIRECTIVES = [
	'$patch',
	'$retainKeys',
	'$setElementOrder/containers',
	'$deleteFromPrimitiveList/finalizers',
	'$setElementOrder/ports',
];

export const strategic: Target<Patching> = {
	name: 'strategic merge patches',
	input(choose) {
		const kind = anyKind(choose);
		const patch = editedJson(choose, objectOfKind(choose, kind));
		return { kind, current: stored(choose, kind), patch: choose.chance(40) ? directed(choose, patch) : patch };
	},
	check: (input) => patchAs('strategic', input),
};

/** With a directive somewhere. */
function directed(choose: Choose, value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((item: unknown) => (choose.chance(50) ? directed(choose, item) : item));
	const entries = Object.entries(value).map(([key, item]) => [key, choose.chance(30) ? directed(choose, item) : item] as const);
	const worth = choose.pick<unknown>(['delete', 'replace', 'merge', ['a'], [{ name: 'a' }], [], null, {}, 1]);
	return Object.fromEntries([...entries, [edited(choose, choose.pick(DIRECTIVES)), worth]]);
}

interface Applying {
	readonly kind: KindName;
	readonly current: Record<string, unknown> | undefined;
	readonly configs: readonly { readonly manager: string; readonly config: unknown; readonly force: boolean }[];
}

export const apply: Target<Applying> = {
	name: 'server-side apply',
	input(choose) {
		const kind = anyKind(choose);
		const config = (): Applying['configs'][number] => {
			const object = named(objectOfKind(choose, kind));
			return {
				manager: choose.pick(['a', 'b']),
				config: choose.chance(40) ? editedJson(choose, object) : object,
				force: choose.chance(70),
			};
		};
		return { kind, current: choose.chance(50) ? stored(choose, kind) : undefined, configs: [config(), ...choose.several(3, config)] };
	},
	check({ kind, current, configs }) {
		const served = { resource: kind, custom: undefined } as unknown as Kind;
		let live = current as KubeObject | undefined;
		for (const { manager, config, force } of configs) {
			const asked: AskedPatch = { type: 'apply', bytes: Buffer.from(JSON.stringify(config)), options: { ...options, force } };
			const merged = (before: KubeObject | undefined): KubeObject =>
				applied(served, before, asked, '', { manager, warn: () => {} } as unknown as Caller, 0);
			const read = (object: KubeObject): KubeObject => decodeObject(object, kind, decoding) as unknown as KubeObject;
			const once = (before: KubeObject | undefined): KubeObject => read(merged(before));
			const given = merged(live);
			const first = read(given);
			// What is stored otherwise than it was merged (a pod CIDR that takes its place among them all) is not what was applied.
			if (!sameJson(content(first), content(given))) {
				live = first;
				continue;
			}
			// An object that nobody manages is somebody's at the next apply; one that is invalid meets none.
			const namespaced = first.metadata.namespace !== undefined;
			// A list that is null becomes an empty one, and then it is another manager's; an item whose key is null is another one when it is read again.
			if (JSON.stringify(given).includes(':null') || JSON.stringify(first).includes(':null')) return;
			const isStored = validateCreate(kind.group, kind.version, kind.kind, first, namespaced).length === 0;
			const managed = first.metadata.managedFields;
			if (isStored && managed !== undefined && !isKeyless(managed)) mustEqual(content(once(first)), content(first), 'applied again');
			live = first;
		}
	},
};

/** All but who manages it. */
function content(object: KubeObject): unknown {
	const { managedFields: _, ...metadata } = object.metadata;
	return withoutEmpty({ ...object, metadata });
}

/** Whether a list has an item that its manager named by nothing but a key that is empty: upstream drops it as well. */
function isKeyless(managed: readonly ManagedFieldsEntry[]): boolean {
	const keys = (fields: unknown): readonly string[] =>
		typeof fields === 'object' && fields !== null ? Object.entries(fields).flatMap(([key, inner]) => [key, ...keys(inner)]) : [];
	return managed.some(({ fieldsV1 }) => keys(fieldsV1).some((key) => key.startsWith('k:') && key.includes(':""')));
}

function named(object: Record<string, unknown>): Record<string, unknown> {
	const { managedFields: _, ...metadata } = (object['metadata'] ?? {}) as Record<string, unknown>;
	return { ...object, metadata: { ...metadata, name: 'web' } };
}
