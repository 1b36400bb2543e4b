/** Static pods: what a manifest becomes, where manifests come from, what the API shows of them, and their lives. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Node, Pod } from '../../api/gen/types.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { condition, playing, statusOf } from '../../test/fakes/playing.ts';
import { readManifests, type FileSourceOptions, type Known } from './file-source.ts';
import { isMirror, isStatic, mirrorOf, staticPod } from './static-pod.ts';
import { followUrl, podsIn } from './url-source.ts';

const ORIGIN = { source: 'file', place: '/m/web.yaml', nodeName: 'node-1', now: 0 } as const;
const manifest = (spec: object = {}, metadata: object = {}): object => ({
	apiVersion: 'v1',
	kind: 'Pod',
	metadata: { name: 'web', ...metadata },
	spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const NODE: Node = {
	metadata: { name: 'node', uid: 'node-uid' },
	spec: {},
	status: { allocatable: { pods: '10', cpu: '4', memory: '4Gi' } },
};

test('staticPod(): named, placed and marked, with the defaults that the API server sets', (t) => {
	const pod = staticPod(manifest(), ORIGIN);
	const { uid = '', annotations } = pod.metadata;
	t.regex(uid, /^[0-9a-f]{32}$/);
	t.like(pod.metadata, { name: 'web-node-1', namespace: 'default' });
	t.deepEqual(annotations, {
		'kubernetes.io/config.hash': uid,
		'kubernetes.io/config.source': 'file',
		'kubernetes.io/config.seen': '1970-01-01T00:00:00Z',
	});
	t.like(pod.spec, { nodeName: 'node-1', restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst' });
	t.deepEqual(pod.spec?.tolerations, [{ operator: 'Exists', effect: 'NoExecute' }]);
	t.is(pod.spec?.containers[0]?.imagePullPolicy, 'Always');
	t.true(isStatic(pod) && !isMirror(pod));
	t.is(staticPod(manifest(), { ...ORIGIN, now: 5000 }).metadata.uid, uid);
	t.is(staticPod(manifest({}, { uid: 'own', namespace: 'n' }), ORIGIN).metadata.uid, 'own');
	t.is(staticPod(manifest(), { ...ORIGIN, source: 'http' }).spec?.tolerations, undefined);
});

for (const [name, spec, metadata, place] of [
	['another image', { containers: [{ name: 'c', image: 'j' }] }, {}, ORIGIN.place],
	['another label', {}, { labels: { a: 'b' } }, ORIGIN.place],
	['another file', {}, {}, '/m/other.yaml'],
] as const)
	test(`staticPod(): ${name} makes another pod`, (t) =>
		t.not(staticPod(manifest(spec, metadata), { ...ORIGIN, place }).metadata.uid, staticPod(manifest(), ORIGIN).metadata.uid));

for (const [name, value, want] of [
	['no name', manifest({}, { name: '' }), /metadata\.name/],
	['no containers', manifest({ containers: [] }), /spec\.containers: Required value/],
	['another kind', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } }, /Service|Pod/],
	['a service account', manifest({ serviceAccountName: 'a' }), /static pods may not reference serviceaccounts/],
	['a secret', manifest({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }), /static pods may not reference secrets/],
	[
		'a configMap in the environment',
		manifest({ containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'm' } }] }] }),
		/static pods may not reference configmaps/,
	],
	[
		'a claim',
		manifest({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 's' } }] }),
		/may not reference persistentvolumeclaims/,
	],
] as const)
	test(`staticPod(): refuses ${name}`, (t) => void t.throws(() => staticPod(value, ORIGIN), { message: want }));

test('mirrorOf(): the pod, owned by its node', (t) => {
	const pod = staticPod(manifest(), ORIGIN);
	const mirror = mirrorOf(pod, NODE);
	t.is(mirror.metadata.uid, undefined);
	t.is(mirror.metadata.annotations?.['kubernetes.io/config.mirror'], pod.metadata.uid);
	t.deepEqual(mirror.metadata.ownerReferences, [{ apiVersion: 'v1', kind: 'Node', name: 'node', uid: 'node-uid', controller: true }]);
	t.deepEqual(mirror.spec, pod.spec);
	t.true(isMirror(mirror) && !isStatic(mirror));
});

test('readManifests(): files of a folder but dotfiles and folders; a bad one hides no other, one unchanged keeps its pod', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-static-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const told: string[] = [];
	const log = { ...noLog, error: (message: string) => void told.push(message) };
	const options: FileSourceOptions = { path: folder, nodeName: 'n', periodMs: 1, clock: new VirtualClock(0), log, found: () => {} };
	const known = new Map<string, Known>();
	const names = async (): Promise<readonly (string | undefined)[]> => (await readManifests(options, known)).map((p) => p.metadata.name);
	t.deepEqual(await names(), []);
	await mkdir(join(folder, 'sub'));
	await writeFile(join(folder, 'b.yaml'), JSON.stringify(manifest()));
	await writeFile(join(folder, 'a.txt'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n');
	await writeFile(join(folder, '.hidden'), JSON.stringify(manifest({}, { name: 'hidden' })));
	await writeFile(join(folder, 'bad'), 'kind: [');
	t.deepEqual(await names(), ['a-n', 'web-n']);
	const [first] = await readManifests(options, known);
	t.is((await readManifests(options, known))[0], first);
	t.is(told.length, 1);
	await rm(join(folder, 'a.txt'));
	t.deepEqual(await names(), ['web-n']);
	t.deepEqual((await readManifests({ ...options, path: join(folder, 'b.yaml') }, new Map())).length, 1);
	t.deepEqual(await readManifests({ ...options, path: join(folder, 'none') }, new Map()), []);
});

for (const [name, text, want] of [
	['a pod', JSON.stringify(manifest()), ['web-n']],
	[
		'a list',
		JSON.stringify({
			kind: 'PodList',
			apiVersion: 'v1',
			items: [manifest(), { metadata: { name: 'b' }, spec: { containers: [{ name: 'c', image: 'i' }] } }],
		}),
		['web-n', 'b-n'],
	],
	['an empty list', '{"kind": "PodList", "items": []}', []],
] as const)
	test(`podsIn(): ${name}`, (t) => {
		const options = { url: 'u', headers: {}, nodeName: 'n', periodMs: 1, clock: new VirtualClock(0), log: noLog, found: () => {} };
		t.deepEqual(
			podsIn(text, options).map((p) => p.metadata.name),
			[...want],
		);
	});

test('followUrl(): asks again after the period, with its headers; what fails or is empty changes nothing', async (t) => {
	const clock = new VirtualClock(0);
	const stop = new AbortController();
	const answers = [JSON.stringify(manifest()), '', undefined, JSON.stringify({ items: [] })];
	const [found, headers]: [number[], string[]] = [[], []];
	const get = ((_url: string, init: { readonly headers: [string, string][] }) => {
		headers.push(init.headers.map((h) => h.join('=')).join('&'));
		const text = answers.shift();
		return Promise.resolve(new Response(text ?? '', { status: text === undefined ? 500 : 200 }));
	}) as unknown as typeof fetch;
	const running = followUrl(
		{
			url: 'http://x/',
			headers: { 'X-A': ['1', '2'] },
			nodeName: 'n',
			periodMs: 20_000,
			clock,
			log: noLog,
			found: (p) => found.push(p.length),
			fetch: get,
		},
		stop.signal,
	);
	await clock.advance(60_000);
	stop.abort();
	await running;
	t.deepEqual(found, [1, 0]);
	t.deepEqual(
		headers,
		Array.from({ length: 4 }, () => 'X-A=1&X-A=2'),
	);
});

const made = (spec: object = {}, metadata: object = {}): Pod =>
	staticPod(manifest(spec, { namespace: 'n', ...metadata }), { ...ORIGIN, nodeName: 'node' });

test('a static pod runs without a node in the API, and is mirrored once there is one', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	await node.setStatic([made({ containers: [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }] })]);
	await node.advance(500);
	t.deepEqual(starts, ['0 c 0']);
	t.is(node.pod('web-node'), undefined);
	node.node = NODE;
	await node.advance(2000);
	const mirror = node.pod('web-node');
	t.like(mirror?.status, { phase: 'Running' });
	t.is(condition(mirror, 'Ready')?.status, 'True');
	t.not(mirror?.metadata.uid, (await node.runtime.pods())[0]?.uid);
});

test('a pod of the API is no static one, whatever it says of itself', async (t) => {
	const { node } = await playing();
	await using _ = node;
	node.node = { ...NODE, status: { allocatable: { pods: '1', cpu: '4', memory: '4Gi' } } };
	for (const name of ['first', 'second']) await node.create(name, {}, { annotations: { 'kubernetes.io/config.source': 'file' } });
	await node.advance(1000);
	t.is(node.pod('first')?.status?.phase, 'Running', 'its status is written');
	t.like(node.pod('second')?.status, { phase: 'Failed', reason: 'OutOfpods' }, 'it is turned away as others are');
	t.is(node.workers.active.some(isStatic), false, 'nor spared when the node is short');
});

test('a mirror that is deleted is made again, with its status; the containers run on', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	node.node = NODE;
	await node.setStatic([made({ containers: [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }] })]);
	await node.advance(1000);
	const first = node.pod('web-node');
	t.is(first?.status?.phase, 'Running');
	await node.delete('web-node');
	await node.advance(1000);
	const second = node.pod('web-node');
	t.is(second?.status?.phase, 'Running');
	t.not(second?.metadata.uid, first?.metadata.uid);
	t.deepEqual(starts, ['0 c 0']);
});

test('of two manifests of one name in a source the first is run, and the other told of', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	const container = { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' };
	const [one, two] = [made({ containers: [container] }), made({ containers: [{ ...container, env: [{ name: 'A', value: 'b' }] }] })];
	await node.setStatic([one, two]);
	await node.advance(1000);
	t.deepEqual(starts, ['0 c 0']);
	t.deepEqual(
		node.events('web-node').filter((e) => e.startsWith('FailedValidation')),
		[`FailedValidation: Error validating pod web-node_n(${two.metadata.uid}) from file due to duplicate pod name "web-node", ignoring`],
	);
	t.is((await node.runtime.pods())[0]?.uid, one.metadata.uid);
});

test('another manifest waits for the pod before it to end; none takes the mirror away', async (t) => {
	const { node, starts } = await playing({ script: () => ({ stopMs: 5000 }) });
	await using _ = node;
	node.node = NODE;
	const container = { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' };
	const one = made({ containers: [container] });
	const two = made({ containers: [{ ...container, env: [{ name: 'A', value: 'b' }] }] });
	await node.setStatic([one]);
	await node.advance(1000);
	await node.setStatic([two]);
	await node.advance(3000);
	t.deepEqual(starts, ['0 c 0']);
	await node.advance(4000);
	t.deepEqual(starts, ['0 c 0', '6 c 0']);
	t.is(node.pod('web-node')?.metadata.annotations?.['kubernetes.io/config.mirror'], two.metadata.uid);
	t.is(statusOf(node.pod('web-node'))?.restartCount, 0);
	await node.setStatic([]);
	await node.advance(10_000);
	t.is(node.pod('web-node'), undefined);
	t.deepEqual(await node.runtime.pods(), []);
});

test('an agent that starts again finds its static pods running, and ends those whose manifest has gone', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	node.node = NODE;
	const container = { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' };
	const readinessProbe = { exec: { command: ['true'] }, initialDelaySeconds: 5, periodSeconds: 5 };
	const [stays, goes] = [made({ containers: [{ ...container, readinessProbe }] }), made({ containers: [container] }, { name: 'old' })];
	await node.setStatic([stays, goes]);
	await node.advance(20_000);
	t.is(condition(node.pod('web-node'), 'Ready')?.status, 'True');
	t.is(starts.length, 2);
	const shown = node.pod('web-node')?.status;
	await node.stopAgent();
	await node.advance(60_000);
	await node.startAgent([stays]);
	t.is(condition(node.pod('web-node'), 'Ready')?.status, 'True');
	await node.advance(5000);
	t.is(starts.length, 2);
	t.deepEqual(node.pod('web-node')?.status, shown);
	t.is(node.pod('old-node'), undefined);
	t.deepEqual(
		(await node.runtime.pods()).map((p) => p.name),
		['web-node'],
	);
});
