/** Policies of Jobs: indexes, when a Job fails, when it has succeeded. */
import { duplicate, invalidValue, notSupported, required, tooLong, tooMany } from '../../field-error.ts';
import type { JobSpec, PodFailurePolicyRule } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { countOf, indexesComplaint } from './job-indexes.ts';
import { qualifiedName } from '../names.ts';
import { nonNegative, oneOf, texts, type Errors } from '../rule.ts';

const MAX_INDEXED = 100_000;
const MAX_WITH_LIMIT = 10_000;
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
/** Bytes. */
const MAX_INDEXES = 64 * 1024;
const NEEDS_INDEXES = 'requires indexed completion mode';

export function completionMode(out: Errors, at: string, spec: JobSpec): void {
	const { completionMode: mode, completions, parallelism, backoffLimitPerIndex: limit, maxFailedIndexes: failed } = spec;
	if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed')
		out.push(notSupported(`${at}.completionMode`, mode, ['NonIndexed', 'Indexed']));
	// A CronJob's template may have no mode.
	if (mode === undefined || mode === 'NonIndexed') {
		if (limit !== undefined) out.push(invalidValue(`${at}.backoffLimitPerIndex`, limit, NEEDS_INDEXES));
		if (failed !== undefined) out.push(invalidValue(`${at}.maxFailedIndexes`, failed, NEEDS_INDEXES));
	}
	if (mode !== 'Indexed') return;
	if (completions === undefined) out.push(required(`${at}.completions`, 'when completion mode is Indexed'));
	const atMost = (key: string, value: number | undefined, most: number, why = ''): void => {
		if (value !== undefined && value > most) out.push(invalidValue(`${at}.${key}`, value, `must be less than or equal to ${most}${why}`));
	};
	atMost('parallelism', parallelism, MAX_INDEXED, ' when completion mode is Indexed');
	if (completions !== undefined && failed !== undefined && failed > completions)
		out.push(invalidValue(`${at}.maxFailedIndexes`, failed, 'must be less than or equal to completions'));
	atMost('maxFailedIndexes', failed, MAX_INDEXED);
	if (limit === undefined || (completions ?? 0) <= MAX_INDEXED) return;
	if (failed === undefined) out.push(required(`${at}.maxFailedIndexes`, `must be specified when completions is above ${MAX_INDEXED}`));
	const why = ` when completions are above ${MAX_INDEXED} and used with backoff limit per index`;
	atMost('parallelism', parallelism, MAX_WITH_LIMIT, why);
	atMost('maxFailedIndexes', failed, MAX_WITH_LIMIT, why);
}

export function podFailurePolicy(out: Errors, at: string, spec: JobSpec): void {
	const { podFailurePolicy: policy } = spec;
	if (policy === undefined) return;
	const path = `${at}.podFailurePolicy`;
	const template = spec.template?.spec;
	const names = new Set([...(template?.containers ?? []), ...(template?.initContainers ?? [])].map(({ name }) => name));
	const rules = policy.rules ?? [];
	if (rules.length > MAX_RULES) out.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
	for (const [i, rule] of rules.entries()) failureRule(out, `${path}.rules[${i}]`, rule, names, spec);
}

function failureRule(
	out: Errors,
	at: string,
	{ action = '', onExitCodes, onPodConditions }: PodFailurePolicyRule,
	names: ReadonlySet<string>,
	spec: JobSpec,
): void {
	if (action === '') out.push(required(`${at}.action`, 'valid values: ["Count" "FailIndex" "FailJob" "Ignore"]'));
	else if (action === 'FailIndex') {
		if (spec.backoffLimitPerIndex === undefined)
			out.push(invalidValue(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'));
	} else oneOf(out, `${at}.action`, action, ['Count', 'FailIndex', 'FailJob', 'Ignore']);
	if (onExitCodes !== undefined) exitCodes(out, `${at}.onExitCodes`, onExitCodes, names);
	const conditions = onPodConditions ?? [];
	if (conditions.length > 0) {
		if (conditions.length > MAX_RULES) out.push(tooMany(`${at}.onPodConditions`, conditions.length, MAX_RULES));
		for (const [i, { type = '', status = '' }] of conditions.entries()) {
			const path = `${at}.onPodConditions[${i}]`;
			texts(out, `${path}.type`, type, qualifiedName(type));
			if (status === '') out.push(required(`${path}.status`, 'valid values: ["False" "True" "Unknown"]'));
			else oneOf(out, `${path}.status`, status, ['False', 'True', 'Unknown']);
		}
	}
	const says = (text: string): void => void out.push({ reason: 'FieldValueInvalid', field: at, message: `Invalid value: ${text}` });
	if (onExitCodes !== undefined && conditions.length > 0) says('specifying both OnExitCodes and OnPodConditions is not supported');
	if (onExitCodes === undefined && conditions.length === 0) says('specifying one of OnExitCodes and OnPodConditions is required');
}

function exitCodes(
	out: Errors,
	path: string,
	{ containerName, operator = '', values }: NonNullable<PodFailurePolicyRule['onExitCodes']>,
	names: ReadonlySet<string>,
): void {
	if (operator === '') out.push(required(`${path}.operator`, 'valid values: ["In" "NotIn"]'));
	else oneOf(out, `${path}.operator`, operator, ['In', 'NotIn']);
	if (containerName !== undefined && !names.has(containerName))
		out.push(
			invalidValue(`${path}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template'),
		);
	const list = values ?? [];
	if (list.length === 0) out.push(invalidValue(`${path}.values`, values ?? null, 'at least one value is required'));
	else if (list.length > MAX_EXIT_CODES) out.push(tooMany(`${path}.values`, list.length, MAX_EXIT_CODES));
	let ordered = true;
	const seen = new Set<number>();
	for (const [i, value] of list.entries()) {
		if (operator === 'In' && value === 0) out.push(invalidValue(`${path}.values[${i}]`, value, 'must not be 0 for the In operator'));
		if (seen.has(value)) out.push(duplicate(`${path}.values[${i}]`, value));
		seen.add(value);
		if (i > 0 && value < (list[i - 1] ?? 0)) ordered = false;
	}
	if (!ordered) out.push(invalidValue(`${path}.values`, list, 'must be ordered'));
}

export function successPolicy(out: Errors, at: string, { successPolicy: policy, completionMode: mode, completions = 0 }: JobSpec): void {
	const path = `${at}.successPolicy`;
	if (policy === undefined) return;
	if (mode !== 'Indexed') {
		out.push(invalidValue(path, internalForm('batch/v1.SuccessPolicy', policy), NEEDS_INDEXES));
		return;
	}
	const rules = policy.rules ?? [];
	if (rules.length === 0) out.push(required(`${path}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
	if (rules.length > MAX_RULES) out.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
	for (const [i, { succeededIndexes: indexes, succeededCount: count }] of rules.entries()) {
		const rule = `${path}.rules[${i}]`;
		if (count === undefined && indexes === undefined)
			out.push(required(rule, 'at least one of succeededCount or succeededIndexes must be specified'));
		let total: number | undefined;
		if (indexes !== undefined) {
			if (Buffer.byteLength(indexes) > MAX_INDEXES) out.push(tooLong(`${rule}.succeededIndexes`, MAX_INDEXES));
			const wrong = indexesComplaint(indexes, completions);
			if (wrong !== undefined) out.push(invalidValue(`${rule}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${wrong}`));
			total = wrong === undefined ? countOf(indexes) : 0;
		}
		if (count === undefined) continue;
		nonNegative(out, `${rule}.succeededCount`, count);
		const say = (most: number, what: string): void =>
			void out.push(invalidValue(`${rule}.succeededCount`, count, `must be less than or equal to ${most} (${what})`));
		if (count > completions) say(completions, 'the number of specified completions');
		if (total !== undefined && count > total) say(total, 'the number of indexes in the specified succeededIndexes field');
	}
}
