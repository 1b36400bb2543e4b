/** Pulling: which plug-ins are asked and what they are told, how many pulls run, and who may use what lies on the node. */
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { imageFaults, imageSettingsOf } from '../config/image-settings.ts';
import type { AgentContext } from '../context.ts';
import type { PodContainer } from '../pod/containers.ts';
import { PodMemory } from '../pod/memory.ts';
import { StartFailure } from '../pod/start-failure.ts';
import { PodProbes } from '../probe/probes.ts';
import { c, playing, statusOf } from '../../test/fakes/playing.ts';
import type { Tokens } from '../volume/tokens.ts';
import { ensureImage } from './ensure.ts';
import { imageMatches } from './match.ts';
import { wholeName } from './name.ts';
import { loadProviders, parseProviders } from './provider-config.ts';
import { CredentialProviders } from './providers.ts';
import { PullLimits } from './pull-limits.ts';
import { credentialsFor, credentialsIn } from './pull-secrets.ts';
import { sizeBucket } from './size-bucket.ts';

const NEVER = new AbortController().signal;

async function folder(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-images-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

for (const [pattern, image, want] of [
	['registry.io', 'registry.io/a/b:1', true],
	['registry.io', 'other.io/a', false],
	['*.registry.io', 'eu.registry.io/a', true],
	['*.registry.io', 'registry.io/a', false],
	['*.*.registry.io', 'a.b.registry.io/x', true],
	['registry.io:8080/team', 'registry.io:8080/team/x', true],
	['registry.io:8080/team', 'registry.io/team/x', false],
	['registry.io/team', 'registry.io/other', false],
	['https://registry.io', 'registry.io/x', true],
	['reg*.io', 'registry.io/x', true],
	['registry.io/', 'registry.io/x', true],
	['registry.io/team/', 'registry.io/team-b/x', false],
] as const)
	test(`imageMatches(): ${pattern} ${image}`, (t) => t.is(imageMatches(pattern, image), want));

const AUTHS = {
	'https://index.docker.io/v1/': { username: 'hub', password: '1' },
	'registry.io': { auth: Buffer.from('all:2').toString('base64'), username: 'not me' },
	'registry.io/team': { username: 'team', password: '3' },
	'https://registry.io/v2/team/app': { username: 'app', password: '4' },
	'*.cloud.io': { username: 'cloud', password: '5' },
};
for (const [image, want] of [
	['nginx:1', ['hub']],
	['docker.io/me/app', ['hub']],
	['registry.io/other/x:1', ['all']],
	['registry.io/team/app@sha256:0', ['app', 'team', 'all']],
	['eu.cloud.io/x', ['cloud']],
	['elsewhere.io/x', []],
] as const)
	test(`credentials of Docker's configuration: ${image}`, (t) => {
		const found = credentialsIn(image, JSON.stringify({ auths: AUTHS }), true);
		t.deepEqual(
			found.map(({ username }) => username),
			[...want],
		);
	});

for (const [image, want] of [
	['nginx:1', 'docker.io/library/nginx:1'],
	['me/app', 'docker.io/me/app'],
	['index.docker.io/me/app', 'docker.io/me/app'],
	['registry.io/me/app', 'registry.io/me/app'],
] as const)
	test(`wholeName(): ${image}`, (t) => t.is(wholeName(image), want));

test('a pull secret that is not there is told of, and the image is pulled without it', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p', {
		containers: [c({ imagePullPolicy: 'Always' })],
		imagePullSecrets: [{ name: 'none' }, { name: 'nor-this' }, {}],
	});
	await node.advance(1000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	t.true(
		node
			.events('p')
			.includes(
				'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (none, nor-this); attempting to pull the image may not succeed.',
			),
		node.events('p').join('\n'),
	);
});

const CONFIG = (more: object = {}): string =>
	JSON.stringify({
		apiVersion: 'kubelet.config.k8s.io/v1',
		kind: 'CredentialProviderConfig',
		providers: [
			{
				name: 'plugin',
				matchImages: ['registry.io'],
				defaultCacheDuration: '10m',
				apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
				args: ['get'],
				env: [{ name: 'WHO', value: 'me' }],
				...more,
			},
		],
	});

for (const [name, text, want] of [
	['right', CONFIG(), []],
	['another kind', '{}', ['it must be kind CredentialProviderConfig of kubelet.config.k8s.io/v1']],
	['no images', CONFIG({ matchImages: [] }), ['providers[0].matchImages: Required value: at least 1 item in matchImages is required']],
	['a path', CONFIG({ name: '../x' }), ['providers[0].name: "../x" is no name of a plug-in']],
	['another protocol', CONFIG({ apiVersion: 'v2' }), ['providers[0].apiVersion: Unsupported value: "v2"']],
] as const)
	test(`parseProviders(): ${name}`, (t) => t.deepEqual(parseProviders(text).faults, [...want]));

/** A plug-in that notes what it is asked, and answers with a script's output. */
async function plugin(t: ExecutionContext, answer: string, more: object = {}) {
	const dir = await folder(t);
	const config = join(dir, 'config.yaml');
	await writeFile(config, CONFIG(more));
	await writeFile(join(dir, 'plugin'), `#!/bin/sh\ncat > ${dir}/asked.$$\necho "$1 $WHO" > ${dir}/argument\n${answer}\n`);
	await chmod(join(dir, 'plugin'), 0o755);
	const lines: string[] = [];
	const client = {
		get: async () => ({ metadata: { uid: 'u', annotations: { 'a/role': 'r' } } }),
	} as unknown as Client;
	const tokens = { held: async () => ({ token: 'the-token', expiresAt: 0 }) } as unknown as Tokens;
	const registry = new Registry();
	const log = createLog({ write: (line) => void lines.push(line) });
	const providers = new CredentialProviders(await loadProviders(config, dir), dir, { client, tokens, clock: realClock, log, registry });
	const size = Buffer.alloc(8);
	size.writeBigUInt64BE(BigInt(Buffer.byteLength(CONFIG(more))));
	const hash = createHash('sha256').update(size).update(CONFIG(more)).digest('hex');
	t.true((await registry.metrics()).includes(`kubelet_credential_provider_config_info{hash="sha256:${hash}"} 1`));
	const asked = async (): Promise<number> => (await readdir(dir)).filter((name) => name.startsWith('asked.')).length;
	return { providers, asked, lines, registry };
}

const response = (more: object): string =>
	`echo '${JSON.stringify({ kind: 'CredentialProviderResponse', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', ...more })}'`;
const AUTH = { 'registry.io': { username: 'u', password: 'secret-word' }, 'other.io': { username: 'x', password: 'y' } };
const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: '1' }, spec: { containers: [], serviceAccountName: 'sa' } };

test('a plug-in is asked once for a registry, as long as its answer is good; others are not asked', async (t) => {
	const { providers, asked } = await plugin(t, response({ cacheKeyType: 'Registry', cacheDuration: '1h', auth: AUTH }));
	const want = [{ auth: { serverAddress: 'registry.io', username: 'u', password: 'secret-word' }, source: { type: 'node' } }];
	t.deepEqual(await providers.credentials(pod, 'registry.io/a', NEVER), want as never);
	t.deepEqual(await providers.credentials(pod, 'registry.io/b', NEVER), want as never);
	t.deepEqual(await providers.credentials(pod, 'docker.io/b', NEVER), []);
	t.is(await asked(), 1);
});

test('an answer that is not to be kept is asked for each time; who asks at the same time shares one', async (t) => {
	const { providers, asked } = await plugin(t, response({ cacheKeyType: 'Image', cacheDuration: '0s', auth: AUTH }));
	await Promise.all([1, 2, 3].map(() => providers.credentials(pod, 'registry.io/a', NEVER)));
	t.is(await asked(), 1);
	await providers.credentials(pod, 'registry.io/a', NEVER);
	t.is(await asked(), 2);
});

test("a plug-in of service accounts is told of the pod's, and what it gives is that account's", async (t) => {
	const tokenAttributes = {
		serviceAccountTokenAudience: 'aud',
		cacheType: 'ServiceAccount',
		requireServiceAccount: true,
		requiredServiceAccountAnnotationKeys: ['a/role'],
	};
	const answer = `grep -q the-token $(ls -t $(dirname $0)/asked.* | head -1) && ${response({ cacheKeyType: 'Image', auth: AUTH })}`;
	const { providers } = await plugin(t, answer, { tokenAttributes });
	const [found] = await providers.credentials(pod, 'registry.io/a', NEVER);
	t.deepEqual(found?.source, { type: 'account', uid: 'u', namespace: 'n', name: 'sa' });
	t.deepEqual(await providers.credentials({ ...pod, spec: { containers: [] } }, 'registry.io/a', NEVER), []);
});

for (const [name, answer, why] of [
	['fails', 'echo broken >&2; exit 3', /exit status 3: broken/],
	['answers nonsense', 'echo secret-word', /error decoding credential provider plugin response from stdout/],
	[
		'answers in another version',
		`echo '{"kind":"CredentialProviderResponse","apiVersion":"x","auth":{"a":{"password":"secret-word"}}}'`,
		/did not match expected apiVersion/,
	],
	['gives no kind of key', response({ auth: AUTH }), /valid cacheKeyType/],
] as const)
	test(`a plug-in that ${name} gives nothing, and nothing secret is logged`, async (t) => {
		const { providers, lines } = await plugin(t, answer);
		t.deepEqual(await providers.credentials(pod, 'registry.io/a', NEVER), []);
		t.regex(lines.join(''), why);
		t.false(lines.join('').includes('secret-word'));
	});

test('pulls: one after the other unless configured, in their order; an aborted one leaves the queue', async (t) => {
	const limits = new PullLimits({ qps: 0, burst: 1, atOnce: 1 }, new VirtualClock());
	const order: string[] = [];
	const gate = Promise.withResolvers<void>();
	const first = limits.run(NEVER, async () => {
		await gate.promise;
		order.push('first');
	});
	const stop = new AbortController();
	const aborted = limits.run(stop.signal, async () => order.push('aborted'));
	const last = limits.run(NEVER, async () => order.push('last'));
	stop.abort(new Error('gone'));
	await t.throwsAsync(aborted, { message: 'gone' });
	gate.resolve();
	await Promise.all([first, last]);
	t.deepEqual(order, ['first', 'last']);
});

test('pulls: no more than the burst at once, and then as many as the rate allows', async (t) => {
	const clock = new VirtualClock();
	const limits = new PullLimits({ qps: 5, burst: 2, atOnce: Infinity }, clock);
	const pull = (): Promise<string> => limits.run(NEVER, async () => 'ok');
	t.deepEqual([await pull(), await pull()], ['ok', 'ok']);
	await t.throwsAsync(pull(), { message: 'pull QPS exceeded' });
	await clock.advance(200);
	t.is(await pull(), 'ok');
});

for (const [given, atOnce] of [
	[{}, 1],
	[{ maxParallelImagePulls: 3 }, 3],
	[{ serializeImagePulls: false }, Infinity],
	[{ serializeImagePulls: false, maxParallelImagePulls: 2 }, 2],
] as const)
	test(`imageSettingsOf(): ${JSON.stringify(given)}`, (t) => t.like(imageSettingsOf(given).pulls, { atOnce, qps: 5, burst: 10 }));

test('imageFaults()', (t) => {
	t.regex(
		imageFaults({ maxParallelImagePulls: 2, serializeImagePulls: true }).join(),
		/cannot be larger than 1 unless SerializeImagePulls/,
	);
	t.regex(imageFaults({ imagePullCredentialsVerificationPolicy: 'x' }).join(), /must be one of NeverVerify,/);
});

test('sizeBucket()', (t) => t.deepEqual([0, 1, 11 * 2 ** 20, 200 * 2 ** 30].map(sizeBucket), ['N/A', '0-10MB', '10MB-100MB', 'GT100GB']));

for (const [name, image, policy, broken, reason, events] of [
	[
		'no name of an image',
		'A B',
		'Always',
		{},
		'InvalidImageName',
		['InspectFailed: Failed to apply default image tag "A B": couldn\'t parse image name "A B": invalid reference format'],
	],
	[
		'a runtime that cannot tell',
		'i',
		'IfNotPresent',
		{ image: 'no disk' },
		'ImageInspectError',
		['InspectFailed: Failed to inspect image "i": no disk'],
	],
	[
		'not here and never pulled',
		'j',
		'Never',
		{},
		'ErrImageNeverPull',
		['ErrImageNeverPull: Container image "j" is not present with pull policy of Never'],
	],
	[
		'a pull that fails',
		'i',
		'Always',
		{ pullImage: 'no such tag' },
		'ErrImagePull',
		['Pulling: Pulling image "i"', 'Failed: Failed to pull image "i": no such tag'],
	],
	[
		'a registry that is away',
		'i',
		'Always',
		{ pullImage: 'RegistryUnavailable: no route' },
		'RegistryUnavailable',
		['Pulling: Pulling image "i"', 'Failed: Failed to pull image "i": RegistryUnavailable: no route'],
	],
	[
		'a signature that does not fit',
		'i',
		'Always',
		{ pullImage: 'SignatureValidationFailed' },
		'SignatureValidationFailed',
		['Pulling: Pulling image "i"', 'Failed: Failed to pull image "i": SignatureValidationFailed'],
	],
] as const)
	test(`an image that cannot be had says why: ${name}`, async (t) => {
		const { node } = await playing();
		await using _ = node;
		const told: string[] = [];
		Object.assign(
			node.runtime,
			Object.fromEntries(Object.entries(broken).map(([call, why]) => [call, () => Promise.reject(new Error(why))])),
		);
		const context = {
			...node.context,
			recorder: {
				...node.context.recorder,
				event: (_about: unknown, _type: unknown, reason: string, message: string) => told.push(`${reason}: ${message}`),
			},
		} as unknown as AgentContext;
		const container: PodContainer = { kind: 'app', spec: c({ image, imagePullPolicy: policy }), target: '' };
		const memory = new PodMemory(undefined, new PodProbes(context, () => {}), 0);
		const pod: Pod = { metadata: { name: 'p', namespace: 'n' } };
		const failure = await t.throwsAsync<StartFailure>(ensureImage(pod, container, memory, context, NEVER), { instanceOf: StartFailure });
		t.is(failure?.reason, reason);
		t.deepEqual(told, [...events, `Failed: Error: ${reason}`]);
	});

test('a pull that is waited with tells what the last one failed of', async (t) => {
	const { node } = await playing();
	await using _ = node;
	node.runtime.pullImage = () => Promise.reject(new Error('RegistryUnavailable: no route'));
	await node.create('p', { containers: [c({ imagePullPolicy: 'Always' })] });
	await node.advance(25_000);
	t.deepEqual(statusOf(node.pod('p'))?.state?.waiting, {
		reason: 'ImagePullBackOff',
		message: 'Back-off pulling image "i": RegistryUnavailable: image pull failed for i because the registry is unavailable: no route',
	});
});

test('pulls are remembered until it was told how long the pod took to start', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const pod: Pod = { metadata: { name: 'p', namespace: 'n' } };
	const container: PodContainer = { kind: 'app', spec: c({ imagePullPolicy: 'Always' }), target: '' };
	const memory = new PodMemory(undefined, new PodProbes(node.context, () => {}), 0);
	await ensureImage(pod, container, memory, node.context, NEVER);
	t.is(memory.pulls.length, 1);
	memory.startTold = true;
	await ensureImage(pod, container, memory, node.context, NEVER);
	t.is(memory.pulls.length, 1);
});

for (const [name, data, want] of [
	['of today', { '.dockerconfigjson': { auths: { 'r.io': { username: 'new', password: 'p' } } } }, ['new']],
	['of old', { '.dockercfg': { 'r.io': { username: 'old', password: 'p' } } }, ['old']],
	[
		'of both: that of today',
		{ '.dockercfg': { 'r.io': { username: 'old' } }, '.dockerconfigjson': { auths: { 'r.io': { username: 'new' } } } },
		['new'],
	],
	['of none', { other: {} }, []],
] as const)
	test(`credentialsFor(): a secret ${name}`, (t) => {
		const coded = Object.fromEntries(
			Object.entries(data).map(([key, value]) => [key, Buffer.from(JSON.stringify(value)).toString('base64')]),
		);
		t.deepEqual(
			credentialsFor('r.io/a:1', { metadata: {}, data: coded }).map(({ username }) => username),
			[...want],
		);
	});
