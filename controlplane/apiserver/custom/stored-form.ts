/** Custom resources in the store: JSON of the storage version; read in any version, with the defaults of today. */
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import { freeze } from '../../../base/freeze.ts';
import { parseJson } from '../../../api/codec/json-text.ts';
import type { Encoded } from '../../storage/store.ts';
import { encode } from '../answer/canonical.ts';
import type { StoredForm } from '../registry/custom-kind.ts';

/** Turns objects of one version into another. */
export interface Converter {
	/** Undefined: `convert` can do it at once. */
	readonly review:
		| ((objects: readonly KubeObject[], apiVersion: string, signal: AbortSignal) => Promise<readonly KubeObject[]>)
		| undefined;
}

interface Deps {
	readonly apiVersion: string;
	readonly storageVersion: string;
	/** Whether the definition has that apiVersion. */
	readonly isKnown: (apiVersion: string) => boolean;
	readonly converter: Converter;
	/** Prunes and defaults an object by the schema of its own version, in place. */
	readonly complete: (object: KubeObject) => void;
	/** Prunes an object that was converted to another version: it gets no defaults. */
	readonly prune: (object: KubeObject) => void;
	/** The same for the storage version. */
	readonly pruneStored: (object: KubeObject) => void;
	readonly selectable: Readonly<Record<string, (object: KubeObject) => string>>;
	readonly namespaced: boolean;
}

export function storedForm(deps: Deps): StoredForm {
	const { apiVersion, storageVersion, converter, namespaced } = deps;
	const visible = new WeakMap<Encoded, KubeObject>();
	/** Those stored in the version asked for: their texts are not read anew each time. */
	const inAsked = new WeakSet<Encoded>();
	const forms = new WeakMap<Encoded, Encoded>();
	const selected = new WeakMap<Encoded, Readonly<Record<string, string>>>();

	function keep(value: Encoded, object: KubeObject): KubeObject {
		const frozen = freeze(object);
		visible.set(value, frozen);
		return frozen;
	}

	/** In the version it is stored in. */
	function parsed(value: Encoded): KubeObject {
		return parseJson(Buffer.from(value.bytes).toString()) as KubeObject;
	}

	/** With the defaults that its own version has today; those of the version asked for come with a write alone, as upstream has it. */
	function complete(value: Encoded): KubeObject {
		const object = parsed(value);
		const { apiVersion: from = '' } = object;
		if (!deps.isKnown(from)) throw new StatusError(failure(`request to convert CR from an invalid group/version: ${from}`));
		deps.complete(object);
		return object;
	}

	/** @param object not the caller's any more */
	function inVersion(object: KubeObject, version: string, prune: (object: KubeObject) => void): KubeObject {
		if (object.apiVersion === version) return object;
		const own = { ...object, apiVersion: version };
		prune(own);
		return own;
	}

	async function reviewed(
		objects: readonly KubeObject[],
		version: string,
		prune: (object: KubeObject) => void,
		signal: AbortSignal,
	): Promise<readonly KubeObject[]> {
		const review = converter.review as NonNullable<Converter['review']>;
		const made = structuredClone(await review(objects, version, signal));
		for (const object of made) prune(object);
		return made;
	}

	async function converted(values: readonly Encoded[], signal: AbortSignal): Promise<void> {
		const made = await reviewed(values.map(complete), apiVersion, deps.prune, signal);
		values.forEach((value, i) => keep(value, made[i] as KubeObject));
	}

	return {
		ready(values, signal) {
			if (converter.review === undefined) return undefined;
			const waiting = [...new Set(values)].filter((v): v is Encoded => v !== undefined && !visible.has(v) && !inAsked.has(v));
			const others = waiting.filter((value) => {
				if (parsed(value).apiVersion !== apiVersion) return true;
				inAsked.add(value);
				return false;
			});
			return others.length === 0 ? undefined : converted(others, signal);
		},
		read(value) {
			const known = visible.get(value);
			if (known !== undefined) return known;
			const object = complete(value);
			const isAsked = object.apiVersion === apiVersion;
			const own = inVersion(object, apiVersion, deps.prune);
			// What a webhook was not asked for is good for a look at its metadata, and is not to be found in the webhook's place.
			return isAsked || converter.review === undefined ? keep(value, own) : freeze(own);
		},
		isRead: (value) => visible.has(value),
		form(value) {
			let form = forms.get(value);
			if (form === undefined) {
				const made = encodedForm(this.read(value));
				// Nearly always the version asked for is the one stored, and has no defaults that are newer: then its bytes are kept once.
				form = Buffer.compare(made.bytes, value.bytes) === 0 ? value : made;
				if (visible.has(value)) forms.set(value, form);
			}
			return form;
		},
		async write(object, signal) {
			const plain = structuredClone(object);
			delete plain.metadata.resourceVersion;
			let stored = plain;
			if (apiVersion !== storageVersion)
				stored =
					converter.review === undefined
						? inVersion(structuredClone(plain), storageVersion, deps.pruneStored)
						: ((await reviewed([plain], storageVersion, deps.pruneStored, signal))[0] as KubeObject);
			const { name = '', namespace = '', labels } = stored.metadata;
			const fields = { 'metadata.name': name, ...(namespaced ? { 'metadata.namespace': namespace } : {}) };
			const value = encode(sorted(stored), { labels: { ...labels }, fields });
			// What is answered has gone to the store and back: without what a webhook put beside the schema.
			if (apiVersion === storageVersion) {
				deps.complete(plain);
				keep(value, plain);
			} else if (converter.review !== undefined) await converted([value], signal);
			return value;
		},
		async convert(object, signal) {
			if (object.apiVersion === apiVersion) return object;
			const made = converter.review === undefined ? { ...object, apiVersion } : (await converter.review([object], apiVersion, signal))[0];
			const own = structuredClone(made as KubeObject);
			deps.complete(own);
			return own;
		},
		fields(value) {
			let found = selected.get(value);
			if (found === undefined) {
				const object = this.read(value);
				found = { ...value.fields, ...Object.fromEntries(Object.entries(deps.selectable).map(([label, read]) => [label, read(object)])) };
				if (visible.has(value)) selected.set(value, found);
			}
			return found;
		},
	};
}

const failure = (message: string) => ({ metadata: {}, status: 'Failure', message, code: 500 }) as const;

/** The object's bytes; what is selected by is not of them. */
export function encodedForm(object: KubeObject): Encoded {
	return encode(sorted(object), NO_FACTS);
}

const NO_FACTS = { labels: {}, fields: {} };

/** Keys in order, as Go writes maps; metadata has its own order. */
function sorted(object: KubeObject): KubeObject {
	const { metadata, ...rest } = object;
	return { ...(ordered(rest) as object), metadata } as KubeObject;
}

function ordered(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(ordered);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
	return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, ordered(inner)]));
}
