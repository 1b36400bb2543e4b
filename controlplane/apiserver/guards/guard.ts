/** What a kind asks beside its rules: who writes it, what else is stored, and what takes time to find out, as upstream's storages and strategies do. */
import type { FieldError } from '../../../api/field-error.ts';
import type { AdmissionAttributes, Maybe } from '../contracts.ts';

/** Has the last word: no plugin changes the object after it, and no choice of plugins turns it off. */
export interface Guard {
	/** Once the mutating plugins have run, before the object is prepared. Throws StatusError to refuse. */
	permit?(write: GuardedWrite, signal: AbortSignal): Maybe<void>;
	/** Once the object is prepared: all that is wrong with it. @param found by the kind's rules */
	faults?(write: GuardedWrite, found: readonly FieldError[], signal: AbortSignal): Maybe<readonly FieldError[]>;
}

export interface GuardedWrite extends AdmissionAttributes {
	/** Of the request: an update or a patch of what is not there is still one. */
	readonly verb: 'create' | 'update' | 'patch';
}

/** By "group/Kind". */
export type Guards = ReadonlyMap<string, Guard>;
