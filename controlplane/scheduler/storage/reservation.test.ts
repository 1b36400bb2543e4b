import test from 'ava';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types.ts';
import { cpu, node } from '../../../test/fakes/scheduling.ts';
import { runningScheduler, type RunningScheduler } from '../../../test/fakes/running-scheduler.ts';
import { claim, DONE, on, using, volume, wait } from '../../../test/fakes/waiting-storage.ts';

interface Running extends RunningScheduler {
	put(kind: 'claim' | 'volume' | 'pod', object: object): void;
	get<T>(kind: 'claim' | 'volume' | 'pod', name: string): T;
	update(kind: 'claim' | 'volume', name: string, change: (object: PersistentVolumeClaim & PersistentVolume) => void): void;
}
const PATHS = { claim: '/api/v1/persistentvolumeclaims', volume: '/api/v1/persistentvolumes', pod: '/api/v1/pods' };
const keyOf = (kind: keyof typeof PATHS, name: string): string => (kind === 'volume' ? name : `default/${name}`);

const running = (body: (parts: Running) => Promise<void>): Promise<void> =>
	runningScheduler(
		(parts) => {
			const { api } = parts.transport;
			const get = <T>(kind: keyof typeof PATHS, name: string): T => api.get(PATHS[kind], keyOf(kind, name)) as T;
			return body({
				...parts,
				get,
				put: (kind, object) => void api.create(PATHS[kind], object as Pod, kind === 'volume' ? undefined : 'default'),
				update(kind, name, change) {
					const object = structuredClone(get<PersistentVolumeClaim & PersistentVolume>(kind, name));
					change(object);
					api.update(PATHS[kind], keyOf(kind, name), object);
				},
			});
		},
		{
			before({ api }) {
				api.create('/apis/storage.k8s.io/v1/storageclasses', wait, undefined);
				for (const name of ['a', 'b']) api.create('/api/v1/nodes', node(name), undefined);
			},
		},
	);

test('a pod is bound once its volumes are: found ones are named, others are asked for on the node', async (t) => {
	await running(async ({ clock, put, get, update, events }) => {
		put('claim', claim('x'));
		put('claim', claim('y', { resources: { requests: { storage: '50Gi' } } }));
		put('volume', volume('v', on('b')));
		put('volume', volume('w', on('b')));
		await clock.advance(10);
		const there = using('x', 'y');
		put('pod', { ...there, spec: { ...there.spec, nodeSelector: { 'kubernetes.io/hostname': 'b' } } });
		await clock.advance(10);
		put('pod', { ...using('x'), metadata: { name: 'q', namespace: 'default', uid: 'uid-q' } });
		await clock.advance(100);
		const found = ['v', 'w'].map((name) => get<PersistentVolume>('volume', name)).filter((v) => v.spec?.claimRef?.name === 'x');
		t.is(found.length, 1);
		t.is(found[0]?.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
		t.is(get<PersistentVolumeClaim>('claim', 'y').metadata.annotations?.['volume.kubernetes.io/selected-node'], 'b');
		t.is(get<Pod>('pod', 'p').spec?.nodeName, undefined);
		t.is(get<Pod>('pod', 'p').status?.nominatedNodeName, 'b');
		for (const name of ['x', 'y'])
			update('claim', name, (object) => {
				object.metadata.annotations = { ...object.metadata.annotations, ...DONE };
				object.spec = { ...object.spec, volumeName: name === 'x' ? found[0]?.metadata.name : 'made' };
			});
		await clock.advance(100);
		t.is(get<Pod>('pod', 'p').spec?.nodeName, undefined, 'the volume that was made is not seen yet');
		put('volume', volume('made', on('b')));
		await clock.advance(100);
		t.is(get<Pod>('pod', 'p').spec?.nodeName, 'b');
		await clock.advance(5000);
		t.is(get<Pod>('pod', 'q').spec?.nodeName, 'b');
		t.true(events().includes('Scheduled: Successfully assigned default/p to b'));
	});
});

test('a volume that cannot be made sends the pod back, one that never comes after ten minutes', async (t) => {
	await running(async ({ clock, put, get, update, events }) => {
		put('claim', claim('x'));
		await clock.advance(10);
		put('pod', using('x'));
		await clock.advance(100);
		const chosen = get<PersistentVolumeClaim>('claim', 'x').metadata.annotations?.['volume.kubernetes.io/selected-node'];
		t.truthy(chosen);
		// What a provisioner does that has no room there.
		update('claim', 'x', (object) => delete object.metadata.annotations);
		await clock.advance(100);
		const text = 'running PreBind plugin "VolumeBinding": binding volumes:';
		t.deepEqual(events(), [`FailedScheduling: ${text} selectedNode annotation reset for PVC "x"`]);
		t.falsy(get<Pod>('pod', 'p').status?.nominatedNodeName);
		await clock.advance(2000);
		t.truthy(get<PersistentVolumeClaim>('claim', 'x').metadata.annotations?.['volume.kubernetes.io/selected-node']);
		await clock.advance(601_000);
		t.true(events().includes(`FailedScheduling: ${text} context deadline exceeded`));
	});
});

test('a pod that goes while its volumes are bound is forgotten', async (t) => {
	await running(async ({ clock, transport, put, get }) => {
		put('claim', claim('x'));
		await clock.advance(10);
		put('pod', using('x'));
		await clock.advance(100);
		transport.api.delete('/api/v1/pods', 'default/p');
		await clock.advance(100);
		put('pod', { ...using('x'), metadata: { name: 'q', namespace: 'default', uid: 'uid-q' } });
		const { annotations } = get<PersistentVolumeClaim>('claim', 'x').metadata;
		await clock.advance(100);
		t.is(get<Pod>('pod', 'q').status?.nominatedNodeName, annotations?.['volume.kubernetes.io/selected-node']);
	});
});

test('a pod refused for its claims alone is told so, as upstream tells it', async (t) => {
	await running(async ({ clock, put, events }) => {
		put('pod', using('x'));
		await clock.advance(100);
		t.deepEqual(events(), ['FailedScheduling: 0/2 nodes are available: persistentvolumeclaim "x" not found. not found']);
	});
});

test('a pod that is seen before its claims is tried once they are there', async (t) => {
	await running(async ({ clock, put, get, events }) => {
		put('pod', using('x'));
		await clock.advance(10);
		put('claim', claim('x', { volumeName: 'v' }, { annotations: DONE }, { phase: 'Bound' }));
		put('volume', volume('v'));
		await clock.advance(100);
		t.truthy(get<Pod>('pod', 'p').spec?.nodeName);
		t.is(events().length, 1);
	});
});

test('a more important pod takes a claim for one pod alone', async (t) => {
	await running(async ({ clock, put, get }) => {
		put('claim', claim('x', { volumeName: 'v', accessModes: ['ReadWriteOncePod'] }, { annotations: DONE }, { phase: 'Bound' }));
		put('volume', volume('v'));
		await clock.advance(10);
		put('pod', using('x'));
		await clock.advance(100);
		const high = using('x');
		put('pod', { metadata: { ...high.metadata, name: 'q', uid: 'uid-q' }, spec: { ...high.spec, priority: 1000 } });
		await clock.advance(3000);
		t.throws(() => get('pod', 'p'));
		t.truthy(get<Pod>('pod', 'q').spec?.nodeName);
	});
});

test('a pod that waits for its volumes is taken its node without being deleted', async (t) => {
	await running(async ({ clock, transport, put, get, events }) => {
		transport.api.create('/api/v1/nodes', node('small', { cpu: '1' }), undefined);
		put('claim', claim('x'));
		await clock.advance(10);
		const there = { ...cpu('800m'), nodeSelector: { 'kubernetes.io/hostname': 'small' } };
		const low = using('x');
		put('pod', { ...low, spec: { ...low.spec, ...there } });
		await clock.advance(100);
		t.is(get<PersistentVolumeClaim>('claim', 'x').metadata.annotations?.['volume.kubernetes.io/selected-node'], 'small');
		put('pod', { metadata: { ...low.metadata, name: 'q', uid: 'uid-q' }, spec: { ...there, priority: 1000 } });
		await clock.advance(3000);
		t.is(get<Pod>('pod', 'q').spec?.nodeName, 'small');
		t.is(get<Pod>('pod', 'p').spec?.nodeName, undefined);
		t.is(
			get<Pod>('pod', 'p').status?.conditions?.find(({ type }) => type === 'DisruptionTarget'),
			undefined,
		);
		const told = events();
		t.true(told.includes('FailedScheduling: running PreBind plugin "VolumeBinding": preempted by DefaultPreemption'), told.join('\n'));
		const { uid } = get<Pod>('pod', 'q').metadata;
		t.true(told.includes(`Preempted: Preempted by pod ${uid} on node small (in kube-scheduler memory).`), told.join('\n'));
	});
});
