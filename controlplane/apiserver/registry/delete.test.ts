import test from 'ava';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, PODS } from '../../../api/resources.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { codeOf } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { Parsed } from '../answer/parsed.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Caller, Parts } from './context.ts';
import { remove, terminating, type DeleteRequest } from './delete.ts';
import { makeKind, storeKey } from './kinds.ts';

const KIND = makeKind(PODS);
const KEY = storeKey(KIND, 'n', 'p');
const { signal } = new AbortController();
const CALLER: Caller = {
	user: { name: 'u', uid: '', groups: [], extra: {} },
	manager: 'm',
	options: {},
	warn: () => {},
	dryRun: false,
	signal,
};
const META = { name: 'p', namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z' };
const pod = (uid: string, more = {}) => KIND.encode({ kind: 'Pod', apiVersion: 'v1', metadata: { ...META, uid, ...more } } as KubeObject);
const CHANGED = pod('first', { labels: { a: 'b' }, deletionTimestamp: META.creationTimestamp, deletionGracePeriodSeconds: 0 });

/** Someone else acts just before the removal that follows the mark. */
function interrupted(store: Store, act: (marked: bigint) => Promise<unknown>): Parts {
	let commits = 0;
	const commit: Store['commit'] = async (writes, ending) => {
		if (++commits === 2) await act(store.get(KEY)?.revision ?? 0n);
		return store.commit(writes, ending);
	};
	const watched = new Proxy(store, {
		get(target, key) {
			const own = target[key as keyof Store] as unknown;
			return key === 'commit' ? commit : typeof own === 'function' ? (own.bind(target) as unknown) : own;
		},
	});
	const allocator = { release: () => [] };
	return { store: watched, clock: new VirtualClock(0), parsed: new Parsed(), admission: [], allocator } as unknown as Parts;
}

type Act = (store: Store, marked: bigint) => Promise<unknown>;
const removal: Act = (store, expect) => store.commit([{ key: KEY, expect }], signal);
const change: Act = (store, expect) => store.commit([{ key: KEY, expect, value: CHANGED }], signal);
const anew: Act = async (store, expect) => {
	await removal(store, expect);
	await store.commit([{ key: KEY, expect: 'absent', value: pod('second') }], signal);
};

for (const [what, act, exactly, want, left] of [
	['has removed it', removal, false, 'gone', undefined],
	['has made the name anew', anew, false, 'gone', 'second'],
	['has changed it', change, false, 'gone', undefined],
	['has changed it, and one version was meant', change, true, 'Aborted', 'first'],
] as const)
	test(`a delete that has marked its object when somebody ${what}`, async (t) => {
		const store = createMemoryStore(new VirtualClock(0));
		const made = await store.commit([{ key: KEY, expect: 'absent', value: pod('first') }], signal);
		const parts = interrupted(store, (marked) => act(store, marked));
		const request: DeleteRequest = exactly ? { preconditions: { resourceVersion: String(made) } } : {};
		const done = await remove(parts, KIND, 'n', 'p', request, CALLER, false).catch((error: unknown) => error);
		t.is(done instanceof Error ? codeOf(done) : (done as { type: string }).type, want);
		const entry = store.get(KEY);
		t.is(entry && parts.parsed.of(entry).metadata.uid, left);
	});

for (const [resource, preconditions, want] of [
	[NAMESPACES, { uid: 'x' }, 'namespaces "p": Precondition failed: UID in precondition: x, UID in object meta: first'],
	[
		CUSTOM_RESOURCE_DEFINITIONS,
		{ uid: 'first', resourceVersion: '7' },
		'customresourcedefinitions.apiextensions.k8s.io "p": Precondition failed: ResourceVersion in precondition: 7, ResourceVersion in object meta: 2',
	],
] as const)
	test(`a delete of ${resource.plural} that means another object is refused in words of their own`, async (t) => {
		const kind = makeKind(resource);
		const clock = new VirtualClock(0);
		const store = createMemoryStore(clock);
		const metadata = { name: 'p', uid: 'first', creationTimestamp: META.creationTimestamp };
		const value = kind.encode({ kind: resource.kind, apiVersion: kind.apiVersion, metadata } as KubeObject);
		await store.commit([{ key: storeKey(kind, '', 'p'), expect: 'absent', value }], signal);
		const parts = { store, clock, parsed: new Parsed(), admission: [], allocator: { release: () => [] } } as unknown as Parts;
		await t.throwsAsync(remove(parts, kind, '', 'p', { preconditions }, CALLER), { message: `Operation cannot be fulfilled on ${want}` });
	});

for (const [what, finalizers, propagationPolicy, want] of [
	['a finalizer that stands twice', ['a.b/c', 'a.b/c'], undefined, ['a.b/c', 'a.b/c']],
	['one for the dependents beside it', ['a.b/c', 'a.b/c'], 'Foreground', ['a.b/c', 'a.b/c', 'foregroundDeletion']],
] as const)
	test(`a delete keeps ${what}`, (t) => {
		const kind = makeKind(CONFIG_MAPS);
		const old = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { ...META, finalizers: [...finalizers] } };
		const request: DeleteRequest = propagationPolicy === undefined ? {} : { propagationPolicy };
		t.deepEqual(terminating(kind, old as Draft, request, 0)?.metadata.finalizers, want);
	});

test("a definition's first DELETE has nothing of dependents and no grace period, a second one has both", (t) => {
	const kind = makeKind(CUSTOM_RESOURCE_DEFINITIONS);
	const old = { kind: 'CustomResourceDefinition', apiVersion: kind.apiVersion, metadata: { ...META, finalizers: ['a.b/c'] } };
	const first = terminating(kind, old as Draft, { propagationPolicy: 'Orphan' }, 0);
	t.deepEqual(first?.metadata.finalizers, ['a.b/c', 'customresourcecleanup.apiextensions.k8s.io']);
	t.is(first?.metadata.deletionGracePeriodSeconds, undefined);
	const second = terminating(kind, first as Draft, { propagationPolicy: 'Orphan' }, 0);
	t.is(second?.metadata.finalizers?.at(-1), 'orphan');
	t.is(second?.metadata.deletionGracePeriodSeconds, 0);
	t.is(terminating(kind, second as Draft, {}, 0), second);
});

test('a custom resource that is called Namespace too goes at once, whatever its spec has', (t) => {
	const kind = makeKind({ group: 'c.io', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false, subresources: [] });
	const old = { kind: 'Namespace', apiVersion: kind.apiVersion, metadata: META, spec: { finalizers: ['a'] } };
	t.is(terminating(kind, old as unknown as Draft, {}, 0), undefined);
});
