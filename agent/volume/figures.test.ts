import test from 'ava';
import type { Pod, Volume } from '../../api/gen/types.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { pluginOf, VolumeOperationFigures } from './figures.ts';

for (const [source, want] of [
	[{ name: 'v', emptyDir: {} }, 'kubernetes.io/empty-dir'],
	[{ name: 'v', downwardAPI: {} }, 'kubernetes.io/downward-api'],
	[{ name: 'v', csi: { driver: 'd.example.org' } }, 'kubernetes.io/csi:d.example.org'],
	[{ capacity: {}, local: { path: '/x' } }, 'kubernetes.io/local-volume'],
	[{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }, 'N/A'],
	[{ name: 'v', rbd: {} }, 'N/A'],
] as const)
	test(`pluginOf(${JSON.stringify(source)})`, (t) => t.is(pluginOf(source as never), want));

test('volumes are counted by operation and outcome, and by what there is beside what should be', async (t) => {
	const registry = new Registry();
	const figures = new VolumeOperationFigures(registry);
	const volumes = [
		{ name: 'a', secret: {} },
		{ name: 'b', persistentVolumeClaim: { claimName: 'c' } },
	] as Volume[];
	const pod = { metadata: { name: 'p', uid: 'u' }, spec: { containers: [], volumes } } as Pod;
	const ended = { ...pod, metadata: { name: 'q', uid: 'w' }, status: { phase: 'Succeeded' } } as Pod;
	const total = (): readonly string[] =>
		figures.total([pod, ended]).samples.map(({ labels, value }) => `${labels?.['state']} ${labels?.['plugin_name']} ${value}`);
	t.deepEqual(total(), ['desired_state_of_world kubernetes.io/secret 1', 'desired_state_of_world N/A 1']);
	figures.notMounted('kubernetes.io/secret', 0.2);
	figures.mounted('u', 'a', 'kubernetes.io/secret', 0.2);
	figures.mounted('u', 'b', 'kubernetes.io/csi:d', 2);
	t.deepEqual(total().slice(0, 2), ['actual_state_of_world kubernetes.io/secret 1', 'actual_state_of_world kubernetes.io/csi:d 1']);
	t.deepEqual(total().slice(2), ['desired_state_of_world kubernetes.io/secret 1', 'desired_state_of_world kubernetes.io/csi:d 1']);
	figures.unmounted('u', false, 1);
	figures.unmounted('u', true, 1);
	figures.unmounted('u', true, 1);
	t.is(total().length, 2);
	const text = await registry.metrics();
	const counted = text.split('\n').filter((line) => /_count\{/.test(line));
	t.deepEqual(counted.toSorted(), [
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/csi:d",operation_name="volume_mount",status="success",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/csi:d",operation_name="volume_unmount",status="fail-unknown",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/csi:d",operation_name="volume_unmount",status="success",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/secret",operation_name="volume_mount",status="fail-unknown",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/secret",operation_name="volume_mount",status="success",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/secret",operation_name="volume_unmount",status="fail-unknown",migrated="false"} 1',
		'storage_operation_duration_seconds_count{volume_plugin="kubernetes.io/secret",operation_name="volume_unmount",status="success",migrated="false"} 1',
		'volume_operation_total_seconds_count{plugin_name="kubernetes.io/csi:d",operation_name="overall_volume_mount"} 1',
		'volume_operation_total_seconds_count{plugin_name="kubernetes.io/secret",operation_name="overall_volume_mount"} 1',
	]);
});

test('how long it took to find out what a volume holds is told by how that was, whether it could be or not', async (t) => {
	const registry = new Registry();
	const figures = new VolumeOperationFigures(registry);
	const clock = new VirtualClock();
	t.is(await figures.measured('du', clock, Promise.resolve(7)), 7);
	await t.throwsAsync(figures.measured('d.example.org', clock, Promise.reject(new Error('away'))), { message: 'away' });
	const counted = (await registry.metrics()).split('\n').filter((line) => /^kubelet_volume_metric\w+_count/.test(line));
	t.deepEqual(
		counted,
		['du', 'd.example.org'].map((source) => `kubelet_volume_metric_collection_duration_seconds_count{metric_source="${source}"} 1`),
	);
});
