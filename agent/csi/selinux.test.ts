/** SELinux labels of volumes: which one a pod's volume is mounted with, what is refused and what only counted, as upstream's volume manager has it. */
import test from 'ava';
import type { Container, Pod, PodSecurityContext } from '../../api/gen/types.ts';
import { Registry } from '../../base/metrics.ts';
import { driverObject, NAME, volumeOf } from '../../test/fakes/memory-node.ts';
import { c } from '../../test/fakes/playing.ts';
import { LabelFigures } from './label-figures.ts';
import { labelsOf, VolumeLabels } from './selinux.ts';
import { sourceOfInline, sourceOfVolume } from './source.ts';

const PLUGIN = `kubernetes.io/csi/${NAME}`;
const volumeMounts = [{ name: 'v', mountPath: '/v' }];
const level = (text: string) => ({ seLinuxOptions: { level: text } });
const label = (text: string) => `system_u:object_r:container_file_t:${text}`;
const user = (text?: string): Partial<Container> => ({ volumeMounts, ...(text === undefined ? {} : { securityContext: level(text) }) });

function podOf(uid: string, containers: readonly Partial<Container>[], securityContext: PodSecurityContext = {}): Pod {
	return { metadata: { uid }, spec: { containers: containers.map((one, i) => c({ name: `c${i}`, ...one })), securityContext } };
}

interface Bench {
	readonly labels: VolumeLabels;
	/** What is counted: name, labels and value. */
	figures(): Promise<readonly string[]>;
	admit(
		pod: Pod,
		more?: { readonly modes?: readonly string[] | undefined; readonly can?: boolean; readonly isOthers?: boolean },
	): readonly string[];
}

function bench(isOn = true): Bench {
	const registry = new Registry();
	const [labels, figures] = [new VolumeLabels(() => isOn), new LabelFigures(registry)];
	return {
		labels,
		async figures() {
			const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('volume_manager_selinux_'));
			return lines.map((line) => line.slice('volume_manager_selinux_'.length)).toSorted();
		},
		admit(pod, { modes = ['ReadWriteOncePod'], can = true, isOthers = false } = {}) {
			const csi = { source: sourceOfVolume(volumeOf({ accessModes: [...modes] }), false), object: driverObject({ seLinuxMount: can }) };
			return labels.admit({ pod, volume: 'v', accessModes: modes, ...(isOthers ? {} : { csi }) }, figures);
		},
	};
}

const options = (text: string): readonly string[] => [`context="${label(text)}"`];
const admitted = (access: string): string => `volumes_admitted_total{volume_plugin="${PLUGIN}",access_mode="${access}"} 1`;

for (const [name, pod, more, want, counted] of [
	['a level of the pod', podOf('p', [user()], level('s0:c1,c2')), {}, options('s0:c1,c2'), [admitted('RWOP')]],
	['a driver that does not do it', podOf('p', [user('s0:c1,c2')]), { can: false }, [], []],
	['a volume that pods may share is only counted', podOf('p', [user('s0:c1,c2')]), { modes: ['ReadWriteOnce'] }, [], [admitted('RWO')]],
	[
		'of several modes the one that lets most have it',
		podOf('p', [user('s0')]),
		{ modes: ['ReadWriteOnce', 'ReadWriteMany'] },
		[],
		[admitted('RWX')],
	],
	['labels file by file', podOf('p', [user('s0')], { seLinuxChangePolicy: 'Recursive' }), {}, [], []],
	['no label', podOf('p', [user()]), {}, [], []],
	[
		'who does not mount it does not matter',
		podOf('p', [user('s0:c1'), { securityContext: level('s0:c2') }]),
		{},
		options('s0:c1'),
		[admitted('RWOP')],
	],
	[
		'labels that differ, of a volume that pods may share',
		podOf('p', [user('s0:c1'), user('s0:c2')]),
		{ modes: ['ReadOnlyMany'] },
		[],
		['pod_context_mismatch_warnings_total{access_mode="ROX"} 1'],
	],
	[
		"labels that differ, of others' volume",
		podOf('p', [user('s0:c1'), user('s0:c2')]),
		{ modes: ['ReadWriteOnce'], isOthers: true },
		[],
		['pod_context_mismatch_warnings_total{access_mode="RWO"} 1'],
	],
] as const)
	test(`admit(): ${name}`, async (t) => {
		const { admit, figures } = bench();
		t.deepEqual(admit(pod, more), want);
		t.deepEqual(await figures(), counted);
	});

test('admit(): twice is once; nothing without SELinux', async (t) => {
	const on = bench();
	for (const _ of [1, 2]) t.deepEqual(on.admit(podOf('p', [user('s0')])), options('s0'));
	t.deepEqual(await on.figures(), [admitted('RWOP')]);
	const off = bench(false);
	t.deepEqual(off.admit(podOf('p', [user('s0:c1'), user('s0:c2')])), []);
	t.deepEqual(await off.figures(), []);
});

test('admit(): a pod whose containers differ cannot have a volume of its own', async (t) => {
	const { admit, figures } = bench();
	const pod = podOf('p', [user('s0:c1'), user('s0:c2')]);
	for (const _ of [1, 2]) t.throws(() => admit(pod), { message: `multiple SELinux labels found: ${label('s0:c1')},${label('s0:c2')}` });
	t.deepEqual(await figures(), ['pod_context_mismatch_errors_total{access_mode="RWOP"} 2']);
});

test('admit(): another label than that of the pod before waits for its end; a shared volume is only counted', async (t) => {
	const { admit, figures, labels } = bench();
	const [first, second] = [podOf('a', [user('s0:c1')]), podOf('b', [user('s0:c2')])];
	admit(first);
	t.throws(() => admit(second), { message: `conflicting SELinux labels of volume pv: "${label('s0:c1')}" and "${label('s0:c2')}"` });
	const errors = `volume_context_mismatch_errors_total{volume_plugin="${PLUGIN}",access_mode="RWOP"} 1`;
	t.deepEqual(await figures(), [errors, admitted('RWOP')]);
	labels.release('a');
	t.deepEqual(admit(second), options('s0:c2'));

	const shared = bench();
	const modes = ['ReadWriteMany'];
	for (const pod of [first, second, second]) t.deepEqual(shared.admit(pod, { modes }), []);
	const warnings = `volume_context_mismatch_warnings_total{volume_plugin="${PLUGIN}",access_mode="RWX"} 1`;
	t.deepEqual(await shared.figures(), [warnings, admitted('RWX')]);
});

test("admit(): a pod's own volume", async (t) => {
	const registry = new Registry();
	const pod = podOf('p', [user('s0')]);
	const csi = { source: sourceOfInline(pod, { name: 'v', csi: { driver: NAME } }), object: driverObject({ seLinuxMount: true }) };
	t.deepEqual(new VolumeLabels(() => true).admit({ pod, volume: 'v', accessModes: undefined, csi }, new LabelFigures(registry)), []);
	t.true((await registry.metrics()).includes(admitted('inline')));
});

for (const [name, pod, want] of [
	[
		"a container's options take the place of the pod's whole",
		podOf('p', [user('s0:c1')], { seLinuxOptions: { user: 'u', level: 's0' } }),
		[label('s0:c1')],
	],
	[
		"role and type are a process's",
		podOf('p', [user()], { seLinuxOptions: { role: 'system_r', type: 'spc_t', level: 's0' } }),
		[label('s0')],
	],
	['without a level the runtime makes one up', podOf('p', [user()], { seLinuxOptions: { user: 'u' } }), []],
] as const)
	test(`labelsOf(): ${name}`, (t) => t.deepEqual(labelsOf(pod, 'v'), want));
