/** What every write needs to know of its caller, and the parts it works with. */
import type { KubeObject } from '../../../api/resource.ts';
import type { ResourceRef } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Turns } from '../../../base/turns.ts';
import type { Store, Write } from '../../storage/store.ts';
import type { Parsed } from '../answer/parsed.ts';
import { Reinvocation } from '../admission/reinvocation.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer, Maybe, UserInfo } from '../contracts.ts';
import type { Guards } from '../guards/guard.ts';
import type { Kind } from './kinds.ts';
import type { Listed } from './list.ts';
import type { OpenWatches } from './open-watches.ts';

export interface Parts {
	readonly store: Store;
	readonly clock: Clock;
	/** Where what many watchers get is written in turns. */
	readonly turns: Turns;
	readonly watches: OpenWatches;
	readonly parsed: Parsed;
	readonly admission: readonly AdmissionPlugin[];
	readonly allocator: Allocator;
	/** Of requests; absent: the server writes by itself. */
	readonly authorizer?: Authorizer | undefined;
	readonly guards?: Guards | undefined;
	/** The shortest that a watch lasts whose client does not say how long; it lasts up to twice as long. */
	readonly minWatchMs?: number;
	/** Who counts; absent: nobody. */
	readonly measures?: Measures | undefined;
}

/** Of one object, of a namespace, or of all. */
export type WatchScope = 'resource' | 'namespace' | 'cluster';

/** What is measured of writes, lists and watches. */
export interface Measures {
	/** All plugins' part of one write. */
	step(type: 'admit' | 'validate', attributes: AdmissionAttributes, work: () => Maybe<void>): Maybe<void>;
	/** To be told of every event that a watcher of the kind is sent, with its bytes. */
	watchEvents(kind: Kind): (bytes: number) => void;
	/** What a list has looked at and gives. */
	listed(kind: Kind, found: Listed): void;
	/** A watch begins with so many objects, of which it sends those that are selected. */
	begun(kind: Kind, objects: number): void;
	/** A watch has sent all that it began with, and said so. */
	watchListed(kind: Kind, scope: WatchScope, seconds: number): void;
}

/** Hands out what a kind needs from shared pools (service addresses and node ports). */
export interface Allocator {
	/** Changes the object in place; StatusError Invalid when what it asks for is taken. @param dryRun nothing comes of it, and less is looked at */
	prepare(kind: Kind, object: KubeObject, old: KubeObject | undefined, dryRun: boolean): Allocation;
	/** What is written with the object's removal. */
	release(kind: Kind, object: KubeObject): readonly Write[];
}

/** What an object was given from shared pools. */
export interface Allocation {
	/** To be committed with the object. A conflict of theirs means that another write was faster: prepare again. */
	readonly writes: readonly Write[];
	/** Takes the object back to what it was before, to prepare it again. */
	undo(): void;
}

export interface Caller {
	readonly user: UserInfo;
	readonly dryRun: boolean;
	/** Field manager of the write. */
	readonly manager: string;
	readonly options: object;
	readonly signal: AbortSignal;
	readonly warn: (text: string) => void;
	/** What was asked for, where it is stored in another version. */
	readonly requested?: AdmissionAttributes['requested'];
	/** Notes of admission for the audit log. */
	readonly annotate?: AdmissionAttributes['annotate'];
	/** Told of how long the store took. */
	readonly took?: AdmissionAttributes['took'];
}

/** Runs the plugins that want to see this write: all mutating ones, in order, and once more when webhooks or policies changed what others had seen. */
export function admitMutating(parts: Parts, given: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
	const work = (): Promise<void> => mutateAll(parts, given, signal);
	return parts.measures === undefined ? work() : parts.measures.step('admit', given, work);
}

async function mutateAll(parts: Parts, given: AdmissionAttributes, signal: AbortSignal): Promise<void> {
	const reinvocation = new Reinvocation();
	const attributes = { ...given, reinvocation };
	for (;;) {
		for (let i = 0; i < parts.admission.length; i++) {
			const plugin = parts.admission[i] as AdmissionPlugin;
			if (plugin.mutate === undefined || !plugin.handles(attributes)) continue;
			const working = plugin.mutate(attributes, signal);
			if (working !== undefined) await working;
		}
		if (reinvocation.isSecond || !reinvocation.wantsSecond) return;
		reinvocation.isSecond = true;
	}
}

export function admitValidating(parts: Parts, attributes: AdmissionAttributes, signal: AbortSignal): Maybe<void> {
	const work = (): Promise<void> => validateAll(parts, attributes, signal);
	return parts.measures === undefined ? work() : parts.measures.step('validate', attributes, work);
}

async function validateAll(parts: Parts, attributes: AdmissionAttributes, signal: AbortSignal): Promise<void> {
	for (let i = 0; i < parts.admission.length; i++) {
		const plugin = parts.admission[i] as AdmissionPlugin;
		if (plugin.validate === undefined || !plugin.handles(attributes)) continue;
		const working = plugin.validate(attributes, signal);
		if (working !== undefined) await working;
	}
}

export function attributesOf(
	kind: Kind,
	operation: AdmissionAttributes['operation'],
	caller: Caller,
	target: { readonly namespace: string; readonly name: string; readonly subresource: string },
	object: KubeObject | undefined,
	oldObject: KubeObject | undefined,
): AdmissionAttributes {
	const { group, version, kind: kindName, plural } = kind.resource;
	const { user, options, dryRun, warn, requested, annotate, took } = caller;
	const named = { operation, user, group, version, kind: kindName, resource: plural, ...target };
	return { ...named, object, oldObject, options: optionsOf(operation, options), dryRun, warn, requested, annotate, took };
}

/** As the store's commit; the time that it takes is the request's. */
export async function commitFor({ signal, took }: Caller, { store, clock }: Parts, writes: readonly Write[]): Promise<bigint> {
	const started = clock.monotonic();
	try {
		return await store.commit(writes, signal);
	} finally {
		took?.('etcd', clock.monotonic() - started);
	}
}

/** The resource as the request named it, where it came in another version than the one that is stored. */
export function askedResource({ resource }: Kind, { requested }: Caller): ResourceRef {
	return { group: requested?.group ?? resource.group, plural: requested?.resource ?? resource.plural };
}

/** A patch, or an update of what is not there, is told as the create or the update that it comes to. */
function optionsOf(operation: AdmissionAttributes['operation'], options: object): object {
	const { kind, force: _force, ...others } = options as { readonly kind?: string; readonly force?: boolean };
	if (kind !== 'PatchOptions' && !(kind === 'UpdateOptions' && operation === 'CREATE')) return options;
	return { kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions', ...others };
}
