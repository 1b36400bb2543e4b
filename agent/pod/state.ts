/**
 * The life of a pod on this node, one worker per UID.
 *
 *   syncing --delete | removed | withdrawn | completed | refused--> terminating --stopped--> terminated --cleaned--> finished
 *
 * Never backwards; the grace period only shrinks.
 */
import type { Pod } from '../../api/gen/types.ts';
import { isTerminal } from '../../api/pod/phase.ts';

/** Why a pod ends: asked for by the API, gone from the API, ran to completion or past its deadline, not let in, ended by the node for its own sake, unknown to the API from the start; for a static pod, its manifest gone. */
export type EndReason = 'deleted' | 'removed' | 'completed' | 'deadline' | 'refused' | 'disrupted' | 'orphan' | 'withdrawn';

export type WorkerState =
	| { readonly phase: 'syncing'; readonly pod: Pod }
	| { readonly phase: 'terminating'; readonly pod: Pod; readonly graceMs: number; readonly why: EndReason }
	| { readonly phase: 'terminated'; readonly pod: Pod; readonly why: EndReason }
	| { readonly phase: 'finished'; readonly pod: Pod; readonly why: EndReason };

export type WorkerEvent =
	/** The API's pod, new or changed. */
	| { readonly type: 'updated'; readonly pod: Pod }
	/** The API no longer has it. */
	| { readonly type: 'removed' }
	| { readonly type: 'ended'; readonly why: 'completed' | 'deadline' | 'refused' | 'orphan' | 'withdrawn' }
	/** The node needs what it uses, or shuts down. */
	| { readonly type: 'disrupted'; readonly graceMs: number }
	/** Nothing of it runs any more. */
	| { readonly type: 'stopped' }
	/** Volumes are gone and the last status is written. */
	| { readonly type: 'cleaned' };

/** Upstream: spec.terminationGracePeriodSeconds defaults to 30. */
const DEFAULT_GRACE_SECONDS = 30;
/** Upstream: never below one second at pod level. */
const MIN_GRACE_MS = 1000;

export function next(state: WorkerState, event: WorkerEvent): WorkerState {
	switch (event.type) {
		case 'updated':
			return updated(state, event.pod);
		case 'removed':
			return end(state, 'removed');
		case 'ended':
			return end(state, event.why);
		case 'disrupted':
			return end(state, 'disrupted', Math.max(MIN_GRACE_MS, event.graceMs));
		case 'stopped':
			return state.phase === 'terminating' ? { phase: 'terminated', pod: state.pod, why: state.why } : state;
		case 'cleaned':
			return state.phase === 'terminated' ? { phase: 'finished', pod: state.pod, why: state.why } : state;
	}
}

/** The grace that the pod's own fields ask for. */
export function graceMsOf(pod: Pod): number {
	const seconds =
		pod.metadata.deletionTimestamp === undefined
			? pod.spec?.terminationGracePeriodSeconds
			: (pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds);
	return Math.max(MIN_GRACE_MS, (seconds ?? DEFAULT_GRACE_SECONDS) * 1000);
}

function updated(state: WorkerState, pod: Pod): WorkerState {
	const current = { ...state, pod };
	if (pod.metadata.deletionTimestamp !== undefined) return end(current, 'deleted');
	if (current.phase === 'syncing' && isTerminal(pod)) return end(current, 'completed');
	return current;
}

function end(state: WorkerState, why: EndReason, graceMs = graceFor(state.pod, why)): WorkerState {
	switch (state.phase) {
		case 'syncing':
			return { phase: 'terminating', pod: state.pod, graceMs, why };
		case 'terminating': {
			return { ...state, graceMs: Math.min(state.graceMs, graceMs), why: strongest(state.why, why) };
		}
		case 'terminated':
		case 'finished':
			return { ...state, why: strongest(state.why, why) };
	}
}

function graceFor(pod: Pod, why: EndReason): number {
	return why === 'orphan' ? MIN_GRACE_MS : graceMsOf(pod);
}

/** A pod that ran out and is then deleted is a deleted one; one gone from the API stays gone. */
function strongest(a: EndReason, b: EndReason): EndReason {
	if (a === 'orphan' || b === 'orphan') return 'orphan';
	if (a === 'removed' || b === 'removed') return 'removed';
	if (a === 'withdrawn' || b === 'withdrawn') return 'withdrawn';
	return b === 'deleted' ? b : a;
}
