/** What a full look finds that the event stream did not tell. */
import test from 'ava';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { MissedEnds } from './missed-ends.ts';

const pod = (uid: string, states: Readonly<Record<string, 'running' | 'exited'>>): PodRuntime => ({
	...{ uid, name: uid, namespace: 'n', sandboxes: [] },
	containers: Object.entries(states).map(([id, state]) => ({ id, state }) as ContainerRuntime),
});

test('ends that were told are not missed, others are, each once', (t) => {
	const missed = new MissedEnds();
	t.deepEqual(missed.look([pod('a', { a1: 'running' }), pod('b', { b1: 'running' }), pod('old', { o1: 'exited' })]), []);
	missed.heard('a1');
	const ended = [pod('a', { a1: 'exited' }), pod('b', { b1: 'exited', b2: 'running' }), pod('old', { o1: 'exited' })];
	t.deepEqual(missed.look(ended), ['b']);
	t.deepEqual(missed.look(ended), []);
});
