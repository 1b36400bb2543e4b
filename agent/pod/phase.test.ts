/** The phase of a pod by the states of its containers. */
import test from 'ava';
import type { PodSpec } from '../../api/gen/types.ts';
import { end, pod, status } from '../../test/fakes/pods.ts';
import { phaseOf } from './phase.ts';

for (const [name, spec, statuses, ended, want] of [
	['waiting', {}, [status('c', { waiting: {} })], false, 'Pending'],
	['running', {}, [status('c', { running: {} })], false, 'Running'],
	['between two runs', {}, [status('c', { waiting: {} }, end(1))], false, 'Running'],
	['done', { restartPolicy: 'Never' }, [status('c', end(0))], false, 'Succeeded'],
	['failed', { restartPolicy: 'Never' }, [status('c', end(1))], false, 'Failed'],
	['OnFailure after a failure', { restartPolicy: 'OnFailure' }, [status('c', end(1))], false, 'Running'],
	['initializing', { initContainers: [{ name: 'a' }] }, [status('a', { running: {} }), status('c', { waiting: {} })], false, 'Pending'],
	[
		'a failed init container with Never',
		{ initContainers: [{ name: 'a' }], restartPolicy: 'Never' },
		[status('a', end(1)), status('c', { waiting: {} })],
		false,
		'Failed',
	],
	[
		'done, but a sidecar runs',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }], restartPolicy: 'Never' },
		[{ ...status('s', { running: {} }), started: true }, status('c', end(0))],
		false,
		'Running',
	],
	[
		'done, and the sidecar with it',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }], restartPolicy: 'Never' },
		[status('s', end(143)), status('c', end(0))],
		false,
		'Succeeded',
	],
	[
		'a sidecar that has not started yet',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }] },
		[{ ...status('s', { running: {} }), started: false }, status('c', { waiting: {} })],
		false,
		'Pending',
	],
	[
		'an init container between two tries',
		{ initContainers: [{ name: 'a' }] },
		[status('a', { waiting: {} }, end(1)), status('c', { waiting: {} })],
		false,
		'Pending',
	],
	[
		'one container done, the other runs',
		{ containers: [{ name: 'c' }, { name: 'd' }], restartPolicy: 'Never' },
		[status('c', end(1)), status('d', { running: {} })],
		false,
		'Running',
	],
	[
		'one container waits to start for the first time',
		{ containers: [{ name: 'c' }, { name: 'd' }] },
		[status('c', { running: {} }), status('d', { waiting: {} })],
		false,
		'Pending',
	],
	['ended before it began', {}, [status('c', { waiting: {} })], true, 'Failed'],
	['stopped by deletion with code 0', {}, [status('c', end(0))], true, 'Succeeded'],
	['stopped by deletion with another', {}, [status('c', end(137))], true, 'Failed'],
] as const)
	test(`phaseOf(): ${name}`, (t) =>
		t.is(phaseOf(pod(spec as Partial<PodSpec>), new Map(statuses.map((s) => [s.name, s])), { ended, initialized: false }), want));

const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }] };
const inited = { initContainers: [{ name: 'a' }] };
for (const [name, spec, statuses, initialized, ended, want] of [
	[
		'a sidecar that starts again beside the others',
		sidecar,
		[status('s', { running: {} }), status('c', { running: {} })],
		true,
		false,
		'Running',
	],
	[
		'the same in a new sandbox, where nothing else runs yet',
		sidecar,
		[status('s', { running: {} }), status('c', end(137))],
		false,
		false,
		'Pending',
	],
	['init containers run again in a new sandbox', inited, [status('a', { running: {} }), status('c', end(137))], false, false, 'Pending'],
	['they are done again', inited, [status('a', end(0)), status('c', end(137))], false, false, 'Running'],
	['one fails again and is tried again', inited, [status('a', { waiting: {} }, end(1)), status('c', end(137))], false, false, 'Running'],
	[
		'one fails for good beside a sidecar',
		{ ...inited, restartPolicy: 'Never' },
		[status('a', end(1)), status('c', { waiting: {} })],
		false,
		false,
		'Failed',
	],
	['deleted while they run again', inited, [status('a', { waiting: {} }), status('c', end(0))], false, true, 'Failed'],
] as const)
	test(`phaseOf(): ${name}`, (t) =>
		t.is(phaseOf(pod(spec as Partial<PodSpec>), new Map(statuses.map((s) => [s.name, s])), { ended, initialized }), want));
