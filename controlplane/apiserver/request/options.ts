/** The query parameters of writes (CreateOptions, UpdateOptions, PatchOptions) and of lists and watches, checked as upstream does. Pure. */
import { invalidValue } from '../../../api/field-error.ts';
import { int64Error, uint64Error } from '../../../api/go-integer.ts';
import { parseFieldSelector } from '../../../api/selector/field.ts';
import { parseLabelSelector } from '../../../api/selector/label-text.ts';
import { badRequest, invalid, unknownFailure, type StatusError } from '../../../api/status.ts';
import { fieldManager as fieldManagerRule } from '../../../api/validation/field-manager.ts';
import { isTrue } from './request-info.ts';

const META = { group: 'meta.k8s.io', version: 'v1' };

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
	readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
	readonly dryRun: boolean;
	/** '' when not given. */
	readonly fieldManager: string;
	readonly fieldValidation: FieldValidation;
	readonly force: boolean | undefined;
}

export interface Cause {
	readonly reason: string;
	readonly message: string;
	readonly field: string;
}

const NO_CAUSES: readonly Cause[] = [];

export function optionsInvalid(kind: string, causes: readonly Cause[]): StatusError {
	return invalid({ ...META, kind }, '', causes);
}

export function writeOptions(kind: WriteOptions['kind'], query: URLSearchParams, isApply = false): WriteOptions {
	const causes: Cause[] = [];
	const dryRun = query.getAll('dryRun');
	const fieldManager = query.get('fieldManager') ?? '';
	const force = query.has('force') ? isTrue(query.get('force')) : undefined;
	if (kind === 'PatchOptions') {
		if (isApply && fieldManager === '')
			causes.push({ reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' });
		if (!isApply && force !== undefined)
			causes.push({ reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified for non-apply patch', field: 'force' });
	}
	fieldManagerRule(causes, 'fieldManager', fieldManager);
	causes.push(...dryRunCauses(dryRun));
	const fieldValidation = query.get('fieldValidation') ?? '';
	if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation))
		causes.push({
			reason: 'FieldValueNotSupported',
			message: `Unsupported value: ${JSON.stringify(fieldValidation)}: supported values: "", "Ignore", "Strict", "Warn"`,
			field: 'fieldValidation',
		});
	if (causes.length > 0) throw optionsInvalid(kind, causes);
	return {
		kind,
		dryRun: dryRun.length > 0,
		fieldManager,
		fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
		force,
	};
}

export function dryRunCauses(dryRun: readonly string[]): readonly Cause[] {
	if (dryRun.every((v) => v === 'All')) return NO_CAUSES;
	const shown = `[${dryRun.map((v) => JSON.stringify(v)).join(',')}]`;
	return [{ reason: 'FieldValueNotSupported', message: `Unsupported value: ${shown}: supported values: "All"`, field: 'dryRun' }];
}

export interface ListOptions {
	readonly labelSelector: string;
	readonly fieldSelector: string;
	/** '' when not given. */
	readonly resourceVersion: string;
	readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
	/** 0: all. */
	readonly limit: number;
	readonly continue: string;
	readonly timeoutSeconds: number | undefined;
	readonly allowWatchBookmarks: boolean;
	readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: URLSearchParams, watch: boolean): ListOptions {
	const options: ListOptions = {
		labelSelector: query.get('labelSelector') ?? '',
		fieldSelector: query.get('fieldSelector') ?? '',
		resourceVersion: query.get('resourceVersion') ?? '',
		resourceVersionMatch: (query.get('resourceVersionMatch') ?? '') as ListOptions['resourceVersionMatch'],
		limit: Math.max(0, integerOf(query.get('limit')) ?? 0),
		continue: query.get('continue') ?? '',
		timeoutSeconds: integerOf(query.get('timeoutSeconds')) || undefined,
		allowWatchBookmarks: query.has('allowWatchBookmarks') && isTrue(query.get('allowWatchBookmarks')),
		sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
	};
	const causes = watch ? watchCauses(options) : listCauses(options);
	if (causes.length > 0) {
		// Selectors that are none are seen where the query is read.
		parseLabelSelector(options.labelSelector);
		parseFieldSelector(options.fieldSelector);
		throw optionsInvalid('ListOptions', causes);
	}
	return options;
}

/** As Go reads an int64; StatusError BadRequest. */
function integerOf(text: string | null): number | undefined {
	if (text === null || text === '') return undefined;
	const error = int64Error(text);
	if (error !== undefined) throw badRequest(error);
	return Number(text);
}

const forbiddenField = (field: string, why: string): Cause => ({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field });

function listCauses(o: ListOptions): Cause[] {
	const causes: Cause[] = [];
	if (o.resourceVersionMatch !== '') causes.push(...matchCauses(o));
	if (o.sendInitialEvents !== undefined) causes.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
	return causes;
}

function matchCauses(o: ListOptions): Cause[] {
	const causes: Cause[] = [];
	const match = o.resourceVersionMatch as string;
	if (o.resourceVersion === '')
		causes.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
	if (o.continue !== '') causes.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
	if (match !== 'Exact' && match !== 'NotOlderThan')
		causes.push({
			reason: 'FieldValueNotSupported',
			message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
			field: 'resourceVersionMatch',
		});
	if (match === 'Exact' && o.resourceVersion === '0')
		causes.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
	return causes;
}

function watchCauses(o: ListOptions): Cause[] {
	const causes: Cause[] = [];
	const match = o.resourceVersionMatch as string;
	if (o.sendInitialEvents !== undefined && match !== 'NotOlderThan')
		causes.push(forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
	if (match !== '' && o.sendInitialEvents === undefined)
		causes.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
	if (match !== '' && match !== 'NotOlderThan')
		causes.push({
			reason: 'FieldValueNotSupported',
			message: `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`,
			field: 'resourceVersionMatch',
		});
	// A watch that names no version is one from any version, with its objects first: as if it had asked for that.
	const isAny = o.sendInitialEvents === undefined && (o.resourceVersion === '' || o.resourceVersion === '0');
	if ((match !== '' || isAny) && o.continue !== '')
		causes.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
	return causes;
}

/** A resource version of the query: undefined for none; upstream answers garbage with a bare 500. */
export function parseVersion(text: string): bigint | undefined {
	if (text === '') return undefined;
	const error = uint64Error(text);
	if (error !== undefined) throw unknownFailure(`resourceVersion: ${invalidValue('', text, error).message}`);
	return BigInt(text);
}
