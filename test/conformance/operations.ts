/** "Should support API operations" and "lifecycle", the same for any kind: discovery, create, get, list, watch, patch, update, status, delete, deletecollection. */
import type { KubernetesObject } from '@kubernetes/client-node';
import { eventually } from '../tools/eventually.ts';
import type { World } from './suite.ts';
import { Watching } from './watching.ts';

export interface Operations {
	/** '' is the core group. */
	readonly group: string;
	readonly version: string;
	readonly plural: string;
	readonly kind: string;
	readonly namespaced?: boolean;
	/** What the objects are besides their metadata. */
	readonly fields: object;
	/** A merge patch of that, and what it must be afterwards in it. */
	readonly change?: object;
	/** With a status of its own: a merge patch of it. */
	readonly status?: object;
}

type Thing = KubernetesObject & { readonly status?: object };

const MERGE = { 'content-type': 'application/merge-patch+json' };

export async function supportsOperations(world: World, operations: Operations): Promise<void> {
	const { group, version, plural, kind, namespaced = false, fields, change = {}, status } = operations;
	const { t, namespace, raw } = world;
	const groupVersion = group === '' ? version : `${group}/${version}`;
	const root = group === '' ? `/api/${version}` : `/apis/${groupVersion}`;
	const all = namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
	const label = `conformance-test=${namespace}`;
	const selected = `${all}?labelSelector=${encodeURIComponent(label)}`;
	const send = async (method: string, path: string, code: number, body?: object, headers: Record<string, string> = {}): Promise<Thing> => {
		const answer = await raw(method, path, { headers, ...(body === undefined ? {} : { body }) });
		t.is(answer.code, code, `${method} ${path}: ${answer.text}`);
		return answer.json<Thing>();
	};
	const list = async (): Promise<readonly Thing[]> => (await raw('GET', selected)).json<{ items: Thing[] }>().items;
	const create = (n: number): Promise<Thing> =>
		send('POST', all, 201, {
			apiVersion: groupVersion,
			kind,
			metadata: { name: `${namespace}-${n}`, labels: { 'conformance-test': namespace } },
			...fields,
		});

	if (group !== '') {
		const { groups } = (await raw('GET', '/apis')).json<{ groups: { name: string; versions: { version: string }[] }[] }>();
		t.true(groups.find((g) => g.name === group)?.versions.some((v) => v.version === version));
	}
	const { resources } = (await raw('GET', root)).json<{ resources: { name: string }[] }>();
	t.true(resources.some((r) => r.name === plural));
	if (status !== undefined) t.true(resources.some((r) => r.name === `${plural}/status`));

	// Controllers may write in between: what counts is that the change is seen.
	const annotated = async (key: string): Promise<void> => {
		while ((await watching.next('MODIFIED')).object.metadata?.annotations?.[key] !== 'true');
	};

	t.teardown(async () => void (await raw('DELETE', selected)));
	const watching = await Watching.start<Thing>(world, all, { labelSelector: label });
	const made = await create(1);
	await create(2);
	await create(3);
	const one = `${all}/${namespace}-1`;
	t.is((await send('GET', one, 200)).metadata?.uid, made.metadata?.uid);
	t.is((await list()).length, 3);
	for (let i = 0; i < 3; i++) await watching.next('ADDED');

	const patched = await send('PATCH', one, 200, { metadata: { annotations: { patched: 'true' } }, ...change }, MERGE);
	t.is(patched.metadata?.annotations?.['patched'], 'true');
	if (Object.keys(change).length > 0) t.like(patched, change);
	await annotated('patched');
	await eventually('it is updated', async () => {
		const current = await send('GET', one, 200);
		const next = { ...current, metadata: { ...current.metadata, annotations: { ...current.metadata?.annotations, updated: 'true' } } };
		const answer = await raw('PUT', one, { body: next });
		return answer.code === 200 && answer.json<Thing>().metadata?.annotations?.['updated'] === 'true';
	});
	await annotated('updated');

	if (status !== undefined) {
		t.is((await send('GET', `${one}/status`, 200)).metadata?.uid, made.metadata?.uid);
		t.like((await send('PATCH', `${one}/status`, 200, { status }, MERGE)).status, status);
	}

	await send('DELETE', one, 200);
	t.is((await watching.next('DELETED')).object.metadata?.name, `${namespace}-1`);
	t.is((await raw('GET', one)).code, 404);
	t.is((await raw('DELETE', selected)).code, 200);
	await eventually('all are gone', async () => (await list()).length === 0);
	await watching.next('DELETED');
	await watching.next('DELETED');
}
