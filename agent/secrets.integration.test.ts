/**
 * What an agent tells of the secrets that go through it, at its highest verbosity: nothing, to anybody. A whole agent with a real API server, drivers,
 * credential plug-ins and mounts; only its containers are simulated. Needs root, for mounts.
 */
import diagnostics from 'node:diagnostics_channel';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { PodSpec } from '../api/gen/types.ts';
import {
	CSI_DRIVERS,
	EVENTS,
	NAMESPACES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	SECRETS,
	SERVICE_ACCOUNTS,
} from '../api/resources.ts';
import { realClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { createLog, noLog } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { MountHelper } from '../host/mount-helper.ts';
import { readMounts, unmount } from '../host/mounts.ts';
import { testApiServer } from '../test/fakes/api-server.ts';
import { fakeCsiNode } from '../test/fakes/csi-node.ts';
import { c as container } from '../test/fakes/playing.ts';
import { eventually } from '../test/tools/eventually.ts';
import { createAgent } from './agent.ts';
import { settingsOf } from './config/settings.ts';
import { SimulatedRuntime } from './runtime/simulated.ts';

const c: typeof container = (more) => container({ imagePullPolicy: 'IfNotPresent', ...more });

const [NODE, NS, DRIVER] = ['node', 'n', 'fake.csi.test'];

/** Each a word that stands nowhere else. */
const WORDS = {
	data: 'word-of-a-secret',
	pull: 'word-for-a-registry',
	provided: 'word-of-a-plug-in',
	stage: 'word-for-staging',
	publish: 'word-for-publishing',
};

interface Told {
	readonly lines: string[];
	/** Of every process that was started, its arguments. */
	readonly commands: string[];
}

function listening(t: ExecutionContext): Told {
	const told: Told = { lines: [], commands: [] };
	const started = (message: unknown): void => {
		const { process: child } = message as { readonly process: ChildProcess };
		process.nextTick(() => told.commands.push(child.spawnargs.join(' ')));
	};
	diagnostics.subscribe('child_process', started);
	t.teardown(() => void diagnostics.unsubscribe('child_process', started));
	return told;
}

/** Two plug-ins: one that answers, and keeps what it was asked; one whose answer cannot be read. */
async function plugins(dir: string): Promise<{ readonly config: string; readonly binDir: string; readonly asked: string }> {
	const [binDir, config, asked] = [join(dir, 'plug-ins'), join(dir, 'plug-ins.json'), join(dir, 'asked')];
	await mkdir(binDir);
	const answer = {
		...{ kind: 'CredentialProviderResponse', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', cacheKeyType: 'Image' },
		auth: { 'provided.test': { username: 'u', password: WORDS.provided } },
	};
	await writeFile(join(binDir, 'good'), `#!/bin/sh\ncat > ${asked}\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 });
	await writeFile(join(binDir, 'bad'), `#!/bin/sh\ncat > /dev/null\necho '{"password": "${WORDS.provided}'\n`, { mode: 0o755 });
	const provider = (name: string, image: string): object => ({
		...{ name, matchImages: [image], defaultCacheDuration: '0s', apiVersion: 'credentialprovider.kubelet.k8s.io/v1' },
		tokenAttributes: { serviceAccountTokenAudience: 'registry', cacheType: 'Token', requireServiceAccount: true },
	});
	const providers = [provider('good', 'provided.test'), provider('bad', 'broken.test')];
	await writeFile(config, JSON.stringify({ kind: 'CredentialProviderConfig', apiVersion: 'kubelet.config.k8s.io/v1', providers }));
	return { config, binDir, asked };
}

const USES: Readonly<Record<string, Partial<PodSpec>>> = {
	environment: {
		containers: [
			c({
				env: [{ name: 'W', valueFrom: { secretKeyRef: { name: 's', key: 'word' } } }],
				envFrom: [{ secretRef: { name: 's' } }],
				args: ['$(W)'],
			}),
		],
	},
	volumes: {
		volumes: [
			{ name: 's', secret: { secretName: 's' } },
			{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'a' } }] } },
		],
		containers: [
			c({
				volumeMounts: [
					{ name: 's', mountPath: '/s', subPath: 'word' },
					{ name: 't', mountPath: '/t' },
				],
			}),
		],
	},
	claim: {
		volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
		containers: [c({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
	},
	pull: { imagePullSecrets: [{ name: 'pull' }], containers: [c({ image: 'pulled.test/i' })] },
	provided: { containers: [c({ image: 'provided.test/i' })] },
	broken: { containers: [c({ image: 'broken.test/i' })] },
};

(process.getuid?.() === 0 ? test.serial : test.serial.skip)(
	'a whole agent: secrets, tokens and credentials stand in no argument of a process, and in no log line, event or status',
	async (t) => {
		t.timeout(120_000);
		const told = listening(t);
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-secrets-'));
		const stop = new AbortController();
		const { client, token, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
		const [rootDir, log] = [join(dir, 'root'), createLog({ level: 'debug', write: (line) => told.lines.push(line) })];
		await client.create(NAMESPACES, { metadata: { name: NS } });
		await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: NS, name: 'default' } });
		const secret = (name: string, stringData: Record<string, string>, type = 'Opaque') =>
			client.create(SECRETS, { metadata: { namespace: NS, name }, type, stringData });
		await secret('s', { word: WORDS.data });
		await secret('stage', { word: WORDS.stage });
		await secret('publish', { word: WORDS.publish });
		const auths = { 'pulled.test': { username: 'u', password: WORDS.pull } };
		await secret('pull', { '.dockerconfigjson': JSON.stringify({ auths }) }, 'kubernetes.io/dockerconfigjson');
		await client.create(CSI_DRIVERS, {
			metadata: { name: DRIVER },
			spec: { attachRequired: false, tokenRequests: [{ audience: 'driver' }] },
		});
		const size = { storage: '1Gi' };
		const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
			metadata: { namespace: NS, name: 'claim' },
			spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv', storageClassName: '', resources: { requests: size } },
		});
		await client.create(PERSISTENT_VOLUMES, {
			metadata: { name: 'pv' },
			spec: {
				...{ accessModes: ['ReadWriteOnce'], capacity: size, storageClassName: '' },
				claimRef: { namespace: NS, name: 'claim', uid: claim.metadata.uid ?? '' },
				csi: {
					...{ driver: DRIVER, volumeHandle: 'h' },
					nodeStageSecretRef: { namespace: NS, name: 'stage' },
					nodePublishSecretRef: { namespace: NS, name: 'publish' },
				},
			},
		});
		const bound = { ...claim, status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: size } };
		await client.update(PERSISTENT_VOLUME_CLAIMS, bound, { subresource: 'status' });
		const { asked, ...credentialProviders } = await plugins(dir);
		const runtime = new SimulatedRuntime({ clock: realClock, images: ['i:latest'] });
		const auth: string[] = [];
		Object.assign(runtime, {
			pullImage: (image: string, given: unknown) => {
				auth.push(JSON.stringify(given));
				return Promise.reject(new AppError('Internal', `pull access denied for ${image}`));
			},
		});
		const mounter = await MountHelper.start(join(rootDir, 'bin'), log);
		const registrationDir = join(rootDir, 'plugins_registry');
		await mkdir(registrationDir, { recursive: true });
		const driver = await fakeCsiNode({ name: DRIVER, dir: join(dir, 'driver'), registrationDir, mounts: true });
		const agent = createAgent(
			{
				...{ nodeName: NODE, rootDir, podLogsDir: join(rootDir, 'logs'), nodeIps: ['127.0.0.1'], clusterDns: [], clusterDomain: 'c' },
				...{ port: 0, bindAddress: '127.0.0.1', serving: () => undefined, clientCas: () => '', cgroupParent: '', version: 'v1.36.0' },
				credentialProviders,
				// A machine of tests is short of disk now and then.
				kubelet: settingsOf({ evictionHard: { 'memory.available': '1Mi' } }),
			},
			{ client, runtime, clock: realClock, log, metrics: createMetrics(), mounter },
		);
		const ready = Promise.withResolvers<void>();
		const running = agent.run(stop.signal, ready.resolve);
		running.catch(ready.reject);
		try {
			await ready.promise;
			for (const [name, spec] of Object.entries(USES))
				await client.create(PODS, {
					metadata: { namespace: NS, name },
					spec: { nodeName: NODE, automountServiceAccountToken: false, containers: [], ...spec },
				});
			const reasonOf = async (name: string): Promise<string | undefined> => {
				const { status } = await client.get(PODS, `${NS}/${name}`);
				return status?.containerStatuses?.[0]?.state?.waiting?.reason ?? status?.phase;
			};
			for (const [name, want] of [
				['environment', /Running/],
				['volumes', /Running/],
				['claim', /Running/],
				['pull', /Pull/],
				['provided', /Pull/],
				['broken', /Pull/],
			] as const)
				await eventually(
					() => `${name} is ${String(want)}; the agent said: ${told.lines.slice(-10).join('')}`,
					async () => want.test((await reasonOf(name)) ?? ''),
					60_000,
				);
			const uid = (await client.get(PODS, `${NS}/volumes`)).metadata.uid ?? '';
			const mounted = await readFile(join(rootDir, 'pods', uid, 'volumes/kubernetes.io~projected/t/token'), 'utf8');
			const { serviceAccountToken = '' } = JSON.parse(await readFile(asked, 'utf8')) as { readonly serviceAccountToken?: string };
			const context = driver.calls.find(({ method }) => method === 'nodePublishVolume')?.request['volumeContext'] as Record<string, string>;
			const tokens = JSON.parse(context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '{}') as Record<string, { readonly token: string }>;
			const all = [...Object.values(WORDS), token, mounted, serviceAccountToken, tokens['driver']?.token ?? ''];
			t.true(all.every((word) => word.length > 10));
			const given = JSON.stringify([driver.calls, auth]);
			for (const word of [WORDS.stage, WORDS.publish, WORDS.pull, WORDS.provided]) t.true(given.includes(word), `${word} arrives`);
			const { items: events } = await client.list(EVENTS, { namespace: NS });
			const { items: pods } = await client.list(PODS, { namespace: NS });
			t.true(told.commands.some((command) => command.startsWith('mount ')) && told.lines.length > 0 && events.length > 0);
			t.true(
				told.commands.some((command) => command.endsWith('plug-ins/good')) && told.commands.some((command) => command.endsWith('bad')),
			);
			const encoded = all.flatMap((word) => [
				word,
				Buffer.from(word)
					.toString('base64')
					.replace(/.{0,3}$/, ''),
			]);
			const statuses = pods.map(({ status }) => status);
			const said = [...told.commands, ...told.lines, ...[...events, ...statuses].map((object) => JSON.stringify(object))];
			t.deepEqual(
				said.filter((text) => encoded.some((word) => text.includes(word))),
				[],
			);
		} finally {
			stop.abort();
			await running.catch(() => {});
			await driver[Symbol.asyncDispose]();
			await mounter.stop();
			await stopped;
			for (const m of (await readMounts()).filter(({ path }) => path.startsWith(`${dir}/`)).toReversed()) await unmount(m.path);
			await rm(dir, { recursive: true, force: true });
		}
	},
);
