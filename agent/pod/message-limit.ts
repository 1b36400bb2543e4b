/** Termination messages share what a pod may say: upstream's 12 KiB, split evenly between all its containers. Pure. */
import type { ContainerState, ContainerStatus, Pod } from '../../api/gen/types.ts';
import { containersOf } from './containers.ts';

const MAX_POD_BYTES = 12 * 1024;

export function withinLimit(pod: Pod, statuses: readonly ContainerStatus[]): ContainerStatus[] {
	const each = Math.floor(MAX_POD_BYTES / Math.max(1, containersOf(pod).length));
	return statuses.map((status) => ({
		...status,
		...(status.state === undefined ? {} : { state: cut(status.state, each) }),
		...(status.lastState === undefined ? {} : { lastState: cut(status.lastState, each) }),
	}));
}

function cut(state: ContainerState, bytes: number): ContainerState {
	const { terminated } = state;
	if (terminated?.message === undefined || Buffer.byteLength(terminated.message) <= bytes) return state;
	// A character that is cut in two is left out.
	const message = Buffer.from(terminated.message)
		.subarray(0, bytes)
		.toString('utf8')
		.replace(/\uFFFD$/, '');
	return { ...state, terminated: { ...terminated, message } };
}
