/** What a query of the node's own logs asks for (GET /logs/?query=…), checked in upstream's words. Pure. */
import { required, invalidValue, tooMany, type FieldError } from '../../api/field-error.ts';

/** Upstream's bounds. */
const MAX_LINES = 100_000;
const MAX_NAME = 256;
const MAX_SERVICES = 4;
const UNSAFE = /[^a-zA-Z\-_0-9@]/;
/** A pattern is journalctl's to read; a longer one is nobody's. */
const MAX_PATTERN = 1024;

export interface NodeLogOptions {
	/** RFC 3339. */
	readonly sinceTime?: string;
	readonly untilTime?: string;
	readonly tailLines?: number;
	/** 0 is this boot, -1 the one before. */
	readonly boot?: number;
	readonly pattern?: string;
}

export interface NodeLogQuery {
	readonly services: readonly string[];
	/** Below the folder of logs. */
	readonly file: string | undefined;
	readonly options: NodeLogOptions;
}

export type QueryVerdict =
	/** No query: files are served. */
	| { readonly type: 'none' }
	| { readonly type: 'query'; readonly query: NodeLogQuery }
	| { readonly type: 'faults'; readonly faults: readonly FieldError[] };

export function nodeLogQuery(params: URLSearchParams): QueryVerdict {
	const asked = params.getAll('query');
	const files = asked.filter((q) => /[/\\]/.test(q));
	const services = asked.filter((q) => !/[/\\]/.test(q) && q.trim() !== '');
	const faults: FieldError[] = [];
	if (params.has('query') && files.length + services.length === 0) faults.push(invalidValue('query', asked, 'query cannot be empty'));
	const time = (name: 'sinceTime' | 'untilTime'): string | undefined => {
		const value = params.get(name) || undefined;
		if (value === undefined || (RFC3339.test(value) && !Number.isNaN(Date.parse(value)))) return value;
		faults.push(invalidValue(name, value, 'invalid time format'));
		return undefined;
	};
	const integer = (name: 'boot' | 'tailLines'): number | undefined => {
		const value = params.get(name) || undefined;
		if (value === undefined) return undefined;
		if (/^[+-]?\d{1,15}$/.test(value)) return Number(value);
		faults.push(invalidValue(name, value, `strconv.Atoi: parsing "${value}": invalid syntax`));
		return undefined;
	};
	const pattern = params.get('pattern') || undefined;
	const [sinceTime, untilTime, boot, tailLines] = [time('sinceTime'), time('untilTime'), integer('boot'), integer('tailLines')];
	const options: NodeLogOptions = {
		...(sinceTime === undefined ? {} : { sinceTime }),
		...(untilTime === undefined ? {} : { untilTime }),
		...(tailLines === undefined ? {} : { tailLines }),
		...(boot === undefined ? {} : { boot }),
		...(pattern === undefined ? {} : { pattern }),
	};
	if (faults.length > 0) return { type: 'faults', faults };
	if (asked.length === 0 && Object.keys(options).length === 0) return { type: 'none' };
	const wrong = validate(services, files, options);
	if (wrong.length > 0) return { type: 'faults', faults: wrong };
	return { type: 'query', query: { services, file: files[0], options } };
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function validate(services: readonly string[], files: readonly string[], options: NodeLogOptions): readonly FieldError[] {
	const faults: FieldError[] = [];
	for (const service of services) {
		if (service.length > MAX_NAME) faults.push(invalidValue('query', service, 'length must be less than 100'));
		else if (UNSAFE.test(service)) faults.push(invalidValue('query', service, 'input contains unsupported characters'));
	}
	if (services.length > MAX_SERVICES) faults.push(tooMany('query', services.length, MAX_SERVICES));
	if (files.length + services.length === 0) faults.push(required('query', 'cannot be empty with options'));
	else if (files.length > 0 && services.length > 0)
		faults.push(invalidValue('query', `[${files.join(' ')}], [${services.join(' ')}]`, 'cannot specify a file and service'));
	else if (files.length > 1) faults.push(invalidValue('query', files, 'cannot specify more than one file'));
	else if (files.length === 1 && Object.keys(options).length > 0)
		faults.push(invalidValue('query', files, 'cannot specify file with options'));
	const { sinceTime, untilTime, boot, tailLines, pattern } = options;
	if (sinceTime !== undefined && untilTime !== undefined && Date.parse(sinceTime) > Date.parse(untilTime))
		faults.push(invalidValue('untilTime', untilTime, 'must be after `sinceTime`'));
	if (boot !== undefined && boot > 0) faults.push(invalidValue('boot', boot, 'must be less than 1'));
	if (tailLines !== undefined && (tailLines < 0 || tailLines > MAX_LINES))
		faults.push(invalidValue('tailLines', tailLines, `must be between 0 and ${MAX_LINES}, inclusive`));
	if (pattern !== undefined && pattern.length > MAX_PATTERN)
		faults.push(invalidValue('pattern', `${pattern.slice(0, 20)}…`, `must have at most ${MAX_PATTERN} characters`));
	else if (pattern !== undefined && !isExpression(pattern)) faults.push(invalidValue('pattern', pattern, 'is no regular expression'));
	return faults;
}

function isExpression(pattern: string): boolean {
	try {
		new RegExp(pattern);
		return true;
	} catch {
		return false;
	}
}

/** journalctl's arguments for these services. */
export function journalArguments(
	services: readonly string[],
	{ sinceTime, untilTime, tailLines, boot, pattern }: NodeLogOptions,
): string[] {
	return [
		...['--utc', '--no-pager', '--output=short-precise'],
		...(sinceTime === undefined ? [] : [`--since=${utc(sinceTime)}`]),
		...(untilTime === undefined ? [] : [`--until=${utc(untilTime)}`]),
		...(tailLines === undefined ? [] : [`--lines=${tailLines}`]),
		...services.map((service) => `--unit=${service}`),
		...(pattern === undefined ? [] : [`--grep=${pattern}`, '--case-sensitive=false']),
		...['--boot', String(boot ?? 0)],
	];
}

function utc(time: string): string {
	return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
