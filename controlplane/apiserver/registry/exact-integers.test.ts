/** Integers beyond 2^53 along the whole path: client, JSON, store, every kind of patch, watch, Table and protobuf. */
import test from 'ava';
import fc from 'fast-check';
import { decodeEnvelope } from '../../../api/codec/envelope.ts';
import { PROTOBUF } from '../../../api/codec/codec.ts';
import type { ControllerRevision, Deployment } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { CONTROLLER_REVISIONS, DEPLOYMENTS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { readText } from '../../../base/lines.ts';
import type { Patch } from '../../../client/client.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

/** An integer as objects hold it: a number where that is exact. The types say number; a bigint is the exact form of the same field. */
const held = (value: bigint): number =>
	(value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value) as number;

/** Around the edges of what a double, an int32 and an int64 hold, and anywhere. */
const int64 = fc.oneof(
	fc
		.tuple(fc.constantFrom(0n, 2n ** 31n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)), fc.bigInt(-3n, 3n))
		.map(([edge, by]) => BigInt.asIntN(64, edge + by)),
	fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
);
const positive = int64.map((n) => (n < 0n ? -(n + 1n) : n));
const RUNS = { numRuns: 60, seed: 53 };

let names = 0;

test('a typed field, a raw one and their Table and protobuf forms', (t) =>
	fc.assert(
		fc.asyncProperty(positive, int64, async (revision, raw) => {
			const metadata = { name: `r${++names}`, namespace: 'default' };
			const key = `default/${metadata.name}`;
			const made = await client.create(CONTROLLER_REVISIONS, { metadata, revision: held(revision), data: { a: [held(raw)] } });
			t.deepEqual([made.revision, made.data], [held(revision), { a: [held(raw)] }]);
			const got = await client.get(CONTROLLER_REVISIONS, key);
			t.deepEqual([got.revision, got.data], [held(revision), { a: [held(raw)] }]);
			const { items } = await client.list(CONTROLLER_REVISIONS, { fieldSelector: `metadata.name=${metadata.name}` });
			t.is(items[0]?.revision, held(revision));

			const path = `/apis/apps/v1/namespaces/default/controllerrevisions/${metadata.name}`;
			const ask = async (accept: string): Promise<Buffer> => {
				const { body } = await client.transport.request({ method: 'GET', path, headers: { accept } }, stop.signal);
				return Buffer.from(await readText(body), 'utf8');
			};
			t.true((await ask('application/json;as=Table;v=v1;g=meta.k8s.io')).toString().includes(`,${revision},`));
			t.true((await ask('application/yaml')).toString().includes(`revision: ${revision}\n`));
			const { body } = await client.transport.request({ method: 'GET', path, headers: { accept: PROTOBUF } }, stop.signal);
			const chunks: Uint8Array[] = [];
			for await (const chunk of body) chunks.push(chunk);
			const bytes = Buffer.concat(chunks);
			const decoded = decodeEnvelope(bytes, { apiVersion: 'apps/v1', kind: 'ControllerRevision' }) as unknown as ControllerRevision;
			t.deepEqual([decoded.revision, decoded.data], [held(revision), { a: [held(raw)] }]);

			// And in: the same protobuf is the body of a PUT.
			const put = { method: 'PUT', path, headers: { 'content-type': PROTOBUF }, body: bytes } as const;
			t.is((await client.transport.request(put, stop.signal)).status, 200);
			t.is((await client.get(CONTROLLER_REVISIONS, key)).revision, held(revision));
			await client.delete(CONTROLLER_REVISIONS, key);
		}),
		RUNS,
	));

const toleration = (seconds: number) => ({
	key: 'k',
	operator: 'Exists' as const,
	effect: 'NoExecute' as const,
	tolerationSeconds: seconds,
});
const deployment = (name: string, seconds: number) => ({
	apiVersion: 'apps/v1',
	kind: 'Deployment' as const,
	metadata: { name, namespace: 'default' },
	spec: {
		selector: { matchLabels: { a: 'b' } },
		template: {
			metadata: { labels: { a: 'b' } },
			spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [toleration(seconds)] },
		},
	},
});
const secondsIn = (d: Deployment | undefined): unknown => d?.spec?.template.spec?.tolerations?.[0]?.tolerationSeconds;

const PATCHES: Readonly<Record<string, (seconds: number) => Patch>> = {
	json: (seconds) => ({
		type: 'json',
		body: [{ op: 'replace', path: '/spec/template/spec/tolerations/0/tolerationSeconds', value: seconds }],
	}),
	merge: (seconds) => ({ type: 'merge', body: { spec: { template: { spec: { tolerations: [toleration(seconds)] } } } } }),
	strategic: (seconds) => ({ type: 'strategic', body: { spec: { template: { spec: { tolerations: [toleration(seconds)] } } } } }),
};

for (const [name, patch] of Object.entries(PATCHES))
	test(`${name} patch: the value arrives, and the next integer up is another one`, (t) =>
		fc.assert(
			fc.asyncProperty(int64, async (seconds) => {
				const next = seconds === 2n ** 63n - 1n ? seconds - 1n : seconds + 1n;
				const key = `default/${name}${++names}`;
				const made = await client.create(DEPLOYMENTS, deployment(key.slice(8), held(seconds)));
				t.is(secondsIn(made), held(seconds));
				const patched = await client.patch(DEPLOYMENTS, key, patch(held(next)));
				t.is(secondsIn(patched), held(next));
				// A changed specification is a new generation, however small the change.
				t.is(patched.metadata.generation, 2);
				t.is((await client.patch(DEPLOYMENTS, key, patch(held(next)))).metadata.generation, 2);
				await client.delete(DEPLOYMENTS, key);
			}),
			RUNS,
		));

test('server-side apply: the value arrives, and another applier of the next integer conflicts', (t) =>
	fc.assert(
		fc.asyncProperty(int64, async (seconds) => {
			const key = `default/apply${++names}`;
			const applying = (value: bigint, fieldManager: string) =>
				client.patch(DEPLOYMENTS, key, { type: 'apply', body: deployment(key.slice(8), held(value)) }, { fieldManager });
			t.is(secondsIn(await applying(seconds, 'one')), held(seconds));
			t.is(secondsIn(await applying(seconds, 'two')), held(seconds));
			const next = seconds === 2n ** 63n - 1n ? seconds - 1n : seconds + 1n;
			t.like(await t.throwsAsync(applying(next, 'two')), { httpCode: 409 });
			await client.delete(DEPLOYMENTS, key);
		}),
		RUNS,
	));

test('watch events carry the exact value', async (t) => {
	const exact = 2n ** 53n + 1n;
	const end = new AbortController();
	const version = (await client.list(DEPLOYMENTS, {})).metadata.resourceVersion ?? '';
	const watch = client.watch(DEPLOYMENTS, { resourceVersion: version, fieldSelector: 'metadata.name=watched', signal: end.signal });
	await client.create(DEPLOYMENTS, deployment('watched', held(exact)));
	for await (const { object } of watch) {
		t.is(secondsIn(object as KubeObject as Deployment), held(exact));
		break;
	}
	end.abort();
});

test('what no int64 holds is refused by name', async (t) => {
	for (const text of ['9223372036854775808', '-9223372036854775809', '1e20']) {
		const body = JSON.stringify(deployment('big', 0)).replace('"tolerationSeconds":0', `"tolerationSeconds":${text}`);
		const path = '/apis/apps/v1/namespaces/default/deployments';
		const answer = await client.transport.request(
			{ method: 'POST', path, headers: { 'content-type': 'application/json' }, body },
			stop.signal,
		);
		t.is(answer.status, 400);
		const message = await readText(answer.body);
		t.regex(message, new RegExp(`cannot unmarshal number ${text} into Go struct field .*tolerationSeconds of type int64`));
	}
});
