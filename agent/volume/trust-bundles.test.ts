/** clusterTrustBundle in projected volumes: what is chosen, how it is written, that it follows, and what is said where there is none. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { ClusterTrustBundleProjection, PodSpec } from '../../api/gen/types.ts';
import { forbidden, notFound } from '../../api/status.ts';
import { c, playing } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { anchorsOf } from './trust-anchors.ts';

const PATH = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
const KIND = { group: 'certificates.k8s.io', plural: 'clustertrustbundles' };
const pem = (...anchors: readonly string[]): string =>
	anchors.map((anchor) => `-----BEGIN CERTIFICATE-----\n${Buffer.from(anchor).toString('base64')}\n-----END CERTIFICATE-----\n`).join('');
const anchorsIn = (text: string): readonly string[] =>
	[...text.matchAll(/-----BEGIN CERTIFICATE-----\n([^-]*)-----END CERTIFICATE-----\n/g)]
		.map(([, body = '']) => Buffer.from(body, 'base64').toString())
		.toSorted();

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test('anchorsOf(): each once, whatever stands around them, in lines of 64', (t) => {
	const long = 'x'.repeat(100);
	const found = text(anchorsOf([`said: ${pem('a', long)}`, pem('a', 'b').replaceAll('\n', '\r\n')], 'o'));
	t.deepEqual(anchorsIn(found), ['a', 'b', long]);
	t.is(Math.max(...found.split('\n').map((line) => line.length)), 64);
	t.is(text(anchorsOf([], 'o')), '');
});

test('anchorsOf(): the order is kept, and another one for another life', (t) => {
	const [one, other] = [pem('a', 'b', 'c', 'd'), pem('d', 'c', 'b', 'a')];
	t.is(text(anchorsOf([one], 'o')), text(anchorsOf([other], 'o')));
	const orders = new Set(['1', '2', '3', '4', '5', '6', '7', '8'].map((order) => text(anchorsOf([one], order))));
	t.true(orders.size > 1);
});

interface Shown {
	readonly node: SimulatedNode;
	readonly file: string;
	readonly read: () => Promise<readonly string[] | 'nothing'>;
}

interface Shows {
	readonly served?: readonly string[];
	/** What a version that is served has. */
	readonly kinds?: readonly string[];
	/** The node may not read the kind: 403, whether or not it is served. */
	readonly forbids?: boolean;
	readonly spec?: Partial<PodSpec>;
}

async function showing(
	source: Partial<ClusterTrustBundleProjection>,
	{ served = ['v1beta1'], kinds = ['clustertrustbundles'], forbids = false, spec = {} }: Shows = {},
): Promise<Shown> {
	const { node } = await playing();
	node.transport.intercept = ({ collection }) => {
		const version = /^\/apis\/certificates\.k8s\.io\/(.*)\//.exec(collection)?.[1];
		if (version !== undefined && !served.includes(version)) throw notFound(KIND, '');
		if (forbids && collection.endsWith('/clustertrustbundles')) throw forbidden(KIND, '', 'not for you');
	};
	for (const version of served) node.transport.discovery.set(`certificates.k8s.io/${version}`, ['podcertificaterequests', ...kinds]);
	for (const version of ['v1beta1', 'v1alpha1'])
		for (const [name, signerName, labels, ...anchors] of [
			['one', 'example.com/s', { a: '1' }, 'one', 'both'],
			['two', 'example.com/s', { a: '2' }, 'two', 'both'],
			['other', 'example.com/other', { a: '1' }, 'other'],
		] as const)
			node.transport.api.create(PATH.replace('v1beta1', version), bundle(name, signerName, labels, anchors), undefined);
	const volumes = [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 'ca.pem', ...source } }] } }];
	await node.create('p', { containers: [c({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })], volumes, ...spec });
	await node.advance(2000);
	const file = join(node.rootDir, 'pods', node.pod('p')?.metadata.uid ?? '', 'volumes/kubernetes.io~projected/v/ca.pem');
	return { node, file, read: () => readFile(file, 'utf8').then(anchorsIn, () => 'nothing' as const) };
}

function bundle(name: string, signerName: string, labels: Readonly<Record<string, string>>, anchors: readonly string[]): never {
	return { metadata: { name, labels }, spec: { signerName, trustBundle: pem(...anchors) } } as never;
}

for (const [name, source, want] of [
	['by its name', { name: 'one' }, ['both', 'one']],
	['all of a signer', { signerName: 'example.com/s', labelSelector: {} }, ['both', 'one', 'two']],
	['those of a signer with labels', { signerName: 'example.com/s', labelSelector: { matchLabels: { a: '2' } } }, ['both', 'two']],
	['none of a signer without a selector', { signerName: 'example.com/s', optional: true }, []],
	['none where none is needed', { name: 'none', optional: true }, []],
] as const)
	test(`a volume shows trust anchors: ${name}`, async (t) => {
		const { node, read } = await showing(source);
		await using _ = node;
		t.deepEqual(await read(), want);
		t.is(node.pod('p')?.status?.phase, 'Running');
	});

for (const [name, source, served, why] of [
	[
		'no such name',
		{ name: 'none' },
		['v1beta1'],
		'while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "none" not found',
	],
	[
		'no such labels',
		{ signerName: 'example.com/s', labelSelector: { matchLabels: { a: '3' } } },
		['v1beta1'],
		'combination of signerName and labelSelector matched zero ClusterTrustBundles',
	],
	['neither', {}, ['v1beta1'], 'ClusterTrustBundle projection requires either name or signerName to be set'],
	['no such kind', { name: 'one', optional: true }, [], 'ClusterTrustBundle projection is not supported in static kubelet mode'],
] as const)
	test(`a volume without its trust anchors keeps the pod waiting: ${name}`, async (t) => {
		const { node, read } = await showing(source, { served });
		await using _ = node;
		t.is(await read(), 'nothing');
		t.is(node.pod('p')?.status?.phase, 'Pending');
		t.deepEqual(
			node.events('p').filter((e) => e.startsWith('FailedMount')),
			[`FailedMount: MountVolume.SetUp failed for volume "v" : ${why}`],
		);
	});

test('trust anchors of an API server that has only the first version of the kind', async (t) => {
	const { node, read } = await showing({ name: 'one' }, { served: ['v1alpha1'] });
	await using _ = node;
	t.deepEqual(await read(), ['both', 'one']);
});

test('a node that may not read trust bundles says so after a while', async (t) => {
	const { node } = await showing({ name: 'one' }, { forbids: true });
	await using _ = node;
	await node.advance(60_000);
	t.true(node.events('p').some((e) => e.endsWith(': ClusterTrustBundle informer has not yet synced')));
});

for (const [name, served, version] of [
	['the first version', ['v1alpha1'], 'v1alpha1'],
	['both, of which one is used', ['v1beta1', 'v1alpha1'], 'v1beta1'],
	['none', [], undefined],
] as const)
	test(`what is served says discovery, not a list that is refused: ${name}`, async (t) => {
		const { node } = await showing({ name: 'one' }, { served, forbids: true });
		await using _ = node;
		await node.advance(60_000);
		const asked = node.transport.requests.map((r) => r.collection).filter((path) => path.endsWith('/clustertrustbundles'));
		t.deepEqual([...new Set(asked)], version === undefined ? [] : [PATH.replace('v1beta1', version)]);
		const why = version === undefined ? 'projection is not supported in static kubelet mode' : 'informer has not yet synced';
		t.true(node.events('p').some((e) => e.endsWith(`: ClusterTrustBundle ${why}`)));
	});

test('a version of the group without the kind has none', async (t) => {
	const { node } = await showing({ name: 'one' }, { kinds: [], forbids: true });
	await using _ = node;
	t.true(node.events('p').some((e) => e.endsWith(': ClusterTrustBundle projection is not supported in static kubelet mode')));
});

test('trust anchors follow their bundles; one watch for all, and none before somebody asks', async (t) => {
	const { node, read } = await showing({ signerName: 'example.com/s', labelSelector: {}, optional: true });
	await using _ = node;
	const asked = () => node.transport.requests.filter((r) => r.collection === PATH && r.query.get('watch') === 'true').length;
	t.is(asked(), 1);
	node.transport.api.create(PATH, bundle('three', 'example.com/s', {}, ['three']), undefined);
	await node.advance(0);
	t.deepEqual(await read(), ['both', 'one', 'three', 'two']);
	for (const name of ['one', 'two', 'three']) node.transport.api.delete(PATH, name);
	await node.advance(0);
	t.deepEqual(await read(), []);
	await node.create('q', { volumes: node.pod('p')?.spec?.volumes ?? [] });
	t.is(asked(), 1);
	const { node: idle } = await playing();
	await idle.create('p');
	t.false(idle.transport.requests.some((r) => r.collection.includes('clustertrustbundles')));
	await idle[Symbol.asyncDispose]();
});

test('trust anchors belong to the user of the pod alone', async (t) => {
	const user = process.getuid?.() ?? 0;
	const { node, file } = await showing({ name: 'one' }, { spec: { securityContext: { runAsUser: user } } });
	await using _ = node;
	t.is((await stat(file)).mode & 0o777, 0o600);
});
