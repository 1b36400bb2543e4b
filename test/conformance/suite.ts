/** What every behaviour stands on: one cluster for all of them, the official JavaScript client, kubectl, and a namespace of the test's own. */
import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { CoreV1Api, KubeConfig, type ApiConstructor } from '@kubernetes/client-node';
import { Kubectl, testCluster } from '../e2e/cluster.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { raw, type Answer, type Asked } from './raw.ts';
import { gone } from './refusals.ts';

/** A kubeconfig of a server that runs already, ours or anybody's: the same tests are then asked of that. */
const given = process.env['CONFORMANCE_KUBECONFIG'];

/** So many behaviours at once: enough to fill the waits, few enough for two cores. */
let most = 6;

/** For behaviours that mostly wait. */
export function atMost(count: number): void {
	most = count;
}

interface Place {
	readonly config: KubeConfig;
	readonly env: NodeJS.ProcessEnv;
	readonly image: string;
	readonly kubectlPath: string;
	end(): Promise<void>;
}

const place: Promise<Place> = ready();
test.after.always(async () => (await place).end());

async function ready(): Promise<Place> {
	const cluster = given === undefined ? await testCluster('conf') : undefined;
	const [image, kubectlPath] = await Promise.all([busyboxImage(), kubectl(), cluster?.up()]);
	const kubeconfig = given ?? cluster?.env['KUBECONFIG'] ?? '';
	const config = new KubeConfig();
	config.loadFromString(await readFile(kubeconfig, 'utf8'));
	const env = { ...process.env, ...cluster?.env, KUBECONFIG: kubeconfig };
	return { config, env, image, kubectlPath, end: async () => cluster?.[Symbol.asyncDispose]() };
}

export interface World {
	readonly t: ExecutionContext;
	/** Of this test alone; deleted when it ends. */
	readonly namespace: string;
	/** Ends with the test. */
	readonly signal: AbortSignal;
	readonly config: KubeConfig;
	/** What processes that are clients run with: KUBECONFIG and a home of their own. */
	readonly env: NodeJS.ProcessEnv;
	/** An image that is there: busybox. */
	readonly image: string;
	/** The newest kubectl, in the test's namespace. */
	readonly k: Kubectl;
	/** A typed API of the JavaScript client. */
	api<T extends object>(type: ApiConstructor<T>): T;
	/** A request as it is sent, with the JavaScript client's own credentials. */
	raw(method: string, path: string, asked?: Asked): Promise<Answer>;
}

/** Resolves once the namespace has all that controllers put into it: pods need it, and who watches or counts is not to see it come. */
export async function takesPods(core: CoreV1Api, namespace: string): Promise<void> {
	await eventually(
		`the namespace ${namespace} has its service account and the root certificate`,
		async () =>
			!(await gone(core.readNamespacedServiceAccount({ namespace, name: 'default' }))) &&
			!(await gone(core.readNamespacedConfigMap({ namespace, name: 'kube-root-ca.crt' }))),
	);
}

let running = 0;
const waiting: (() => void)[] = [];
let serial = 0;

/** A behaviour that upstream's conformance suite names; `name` is that test's. */
export function conformance(name: string, behaviour: (world: World) => Promise<void>): void {
	test(name, (t) => inNamespace(t, behaviour));
}

/** The same for what has no name there. */
export const behaves = conformance;

async function inNamespace(t: ExecutionContext, behaviour: (world: World) => Promise<void>): Promise<void> {
	const { config, env, image, kubectlPath } = await place;
	if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
	running++;
	t.timeout(300_000); // of its own time, not of its turn's
	const namespace = `conf-${process.pid}-${++serial}`;
	const stop = new AbortController();
	const core = config.makeApiClient(CoreV1Api);
	try {
		await core.createNamespace({ body: { metadata: { name: namespace, labels: { 'conformance-test': namespace } } } });
		await takesPods(core, namespace);
		await behaviour({
			t,
			namespace,
			signal: stop.signal,
			config,
			env,
			image,
			k: new Kubectl(kubectlPath, { env }, namespace),
			api: (type) => config.makeApiClient(type as never),
			raw: (...all) => raw(config, ...all),
		});
	} finally {
		stop.abort();
		await core.deleteNamespace({ name: namespace, gracePeriodSeconds: 0 }).catch(() => undefined); // some tests delete their own
		running--;
		waiting.shift()?.();
	}
}
