/** [sig-storage] Downward API volumes, of their own kind and projected. */
import { type V1DownwardAPIVolumeFile, type V1ResourceRequirements, type V1Volume } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { nodeOf } from '../../pods.ts';
import { conformance, type World } from '../../suite.ts';
import { ended, logOf, nameOf, running, says, type Wanted } from '../pod.ts';

type Kind = (items: V1DownwardAPIVolumeFile[], defaultMode?: number) => V1Volume;

const OWN: Kind = (items, defaultMode) => ({ name: 'info', downwardAPI: { items, ...(defaultMode === undefined ? {} : { defaultMode }) } });
const PROJECTED: Kind = (items, defaultMode) => ({
	name: 'info',
	projected: { sources: [{ downwardAPI: { items } }], ...(defaultMode === undefined ? {} : { defaultMode }) },
});

const field = (path: string, fieldPath: string): V1DownwardAPIVolumeFile => ({ path, fieldRef: { fieldPath } });
const amount = (path: string, resource: string, divisor: string): V1DownwardAPIVolumeFile => ({
	path,
	resourceFieldRef: { containerName: 'c', resource, divisor },
});
const NAME = field('podname', 'metadata.name');

const withInfo = (volume: V1Volume, script: string, resources?: V1ResourceRequirements): Wanted => ({
	script,
	container: { volumeMounts: [{ name: 'info', mountPath: '/info' }], ...(resources === undefined ? {} : { resources }) },
	spec: { volumes: [volume] },
});

async function shows(world: World, wanted: Wanted, text: string | ((podName: string) => string)): Promise<void> {
	const name = nameOf(await ended(world, wanted));
	world.t.is(await logOf(world, name), typeof text === 'string' ? text : text(name));
}

const RESOURCES = { requests: { cpu: '250m', memory: '32Mi' }, limits: { cpu: '1250m', memory: '64Mi' } };
const shown = (resource: string, divisor: string, text: string) => (world: World, kind: Kind) =>
	shows(world, withInfo(kind([amount('amount', resource, divisor)]), 'cat /info/amount', RESOURCES), text);

/** Where the container has no limit, the node's is what it may use. */
const allocatable = (resource: 'cpu' | 'memory') => async (world: World, kind: Kind) => {
	const has = (await nodeOf(world)).status?.allocatable?.[resource] ?? '';
	const number = Number.parseInt(has);
	const text = resource === 'cpu' ? (has.endsWith('m') ? number : number * 1000) : has.endsWith('Ki') ? number * 1024 : number;
	const item = amount('amount', `limits.${resource}`, resource === 'cpu' ? '1m' : '1');
	await shows(world, withInfo(kind([item]), 'cat /info/amount'), String(text));
};

const named = (world: World, kind: Kind) => shows(world, withInfo(kind([NAME]), 'cat /info/podname'), (name) => name);
const defaultMode = (world: World, kind: Kind) => shows(world, withInfo(kind([NAME], 0o400), 'stat -Lc %a /info/podname'), '400\n');
const itemMode = (world: World, kind: Kind) =>
	shows(world, withInfo(kind([{ ...NAME, mode: 0o400 }]), 'stat -Lc %a /info/podname'), '400\n');

const updated = (what: 'labels' | 'annotations') => async (world: World, kind: Kind) => {
	const script = `trap 'exit 0' TERM; while :; do cat /info/${what}; echo; sleep 0.5; done`;
	const name = nameOf(
		await running(world, { ...withInfo(kind([field(what, `metadata.${what}`)]), script), metadata: { [what]: { key: 'one' } } }),
	);
	await says(world, name, /^key="one"$/m);
	const answer = await patch(world, `/api/v1/namespaces/${world.namespace}/pods/${name}`, { metadata: { [what]: { key: 'two' } } });
	world.t.is(answer.code, 200);
	await says(world, name, /^key="two"$/m);
};

const cases: readonly (readonly [string, Kind, (world: World, kind: Kind) => Promise<void>])[] = [
	[
		"[sig-storage] Downward API volume should provide container's cpu limit [NodeConformance] [Conformance]",
		OWN,
		shown('limits.cpu', '1m', '1250'),
	],
	[
		"[sig-storage] Downward API volume should provide container's cpu request [NodeConformance] [Conformance]",
		OWN,
		shown('requests.cpu', '1m', '250'),
	],
	[
		"[sig-storage] Downward API volume should provide container's memory limit [NodeConformance] [Conformance]",
		OWN,
		shown('limits.memory', '1Mi', '64'),
	],
	[
		"[sig-storage] Downward API volume should provide container's memory request [NodeConformance] [Conformance]",
		OWN,
		shown('requests.memory', '1Mi', '32'),
	],
	[
		'[sig-storage] Downward API volume should provide node allocatable (cpu) as default cpu limit if the limit is not set [NodeConformance] [Conformance]',
		OWN,
		allocatable('cpu'),
	],
	[
		'[sig-storage] Downward API volume should provide node allocatable (memory) as default memory limit if the limit is not set [NodeConformance] [Conformance]',
		OWN,
		allocatable('memory'),
	],
	['[sig-storage] Downward API volume should provide podname only [NodeConformance] [Conformance]', OWN, named],
	['[sig-storage] Downward API volume should set DefaultMode on files [LinuxOnly] [NodeConformance] [Conformance]', OWN, defaultMode],
	['[sig-storage] Downward API volume should set mode on item file [LinuxOnly] [NodeConformance] [Conformance]', OWN, itemMode],
	[
		'[sig-storage] Downward API volume should update annotations on modification [NodeConformance] [Conformance]',
		OWN,
		updated('annotations'),
	],
	['[sig-storage] Downward API volume should update labels on modification [NodeConformance] [Conformance]', OWN, updated('labels')],
	[
		"[sig-storage] Projected downwardAPI should provide container's cpu limit [NodeConformance] [Conformance]",
		PROJECTED,
		shown('limits.cpu', '1', '2'),
	],
	[
		"[sig-storage] Projected downwardAPI should provide container's cpu request [NodeConformance] [Conformance]",
		PROJECTED,
		shown('requests.cpu', '1', '1'),
	],
	[
		"[sig-storage] Projected downwardAPI should provide container's memory limit [NodeConformance] [Conformance]",
		PROJECTED,
		shown('limits.memory', '1', '67108864'),
	],
	[
		"[sig-storage] Projected downwardAPI should provide container's memory request [NodeConformance] [Conformance]",
		PROJECTED,
		shown('requests.memory', '1Ki', '32768'),
	],
	[
		'[sig-storage] Projected downwardAPI should provide node allocatable (cpu) as default cpu limit if the limit is not set [NodeConformance] [Conformance]',
		PROJECTED,
		allocatable('cpu'),
	],
	[
		'[sig-storage] Projected downwardAPI should provide node allocatable (memory) as default memory limit if the limit is not set [NodeConformance] [Conformance]',
		PROJECTED,
		allocatable('memory'),
	],
	['[sig-storage] Projected downwardAPI should provide podname only [NodeConformance] [Conformance]', PROJECTED, named],
	[
		'[sig-storage] Projected downwardAPI should set DefaultMode on files [LinuxOnly] [NodeConformance] [Conformance]',
		PROJECTED,
		defaultMode,
	],
	['[sig-storage] Projected downwardAPI should set mode on item file [LinuxOnly] [NodeConformance] [Conformance]', PROJECTED, itemMode],
	[
		'[sig-storage] Projected downwardAPI should update annotations on modification [NodeConformance] [Conformance]',
		PROJECTED,
		updated('annotations'),
	],
	[
		'[sig-storage] Projected downwardAPI should update labels on modification [NodeConformance] [Conformance]',
		PROJECTED,
		updated('labels'),
	],
];
for (const [title, kind, behaviour] of cases) conformance(title, (world) => behaviour(world, kind));
