/** The query of containerLogs. Pure. */
import { AppError } from '../../base/errors.ts';

export interface LogOptions {
	readonly follow: boolean;
	readonly previous: boolean;
	readonly timestamps: boolean;
	/** ms since the epoch; lines before it are left out. */
	readonly since: number | undefined;
	readonly tailLines: number | undefined;
	readonly limitBytes: number | undefined;
	/** Only this stream; both when undefined. */
	readonly stream: 'stdout' | 'stderr' | undefined;
}

export function logOptions(query: URLSearchParams, now: number): LogOptions {
	const sinceSeconds = integer(query, 'sinceSeconds', 1);
	const sinceTime = query.get('sinceTime');
	const at = sinceTime === null ? undefined : Date.parse(sinceTime);
	if (at !== undefined && Number.isNaN(at)) throw new AppError('InvalidArgument', `sinceTime "${sinceTime}" is not a time`);
	const stream = query.get('stream')?.toLowerCase();
	return {
		follow: isTrue(query.get('follow')),
		previous: isTrue(query.get('previous')),
		timestamps: isTrue(query.get('timestamps')),
		since: sinceSeconds === undefined ? at : now - sinceSeconds * 1000,
		tailLines: integer(query, 'tailLines', 0),
		limitBytes: integer(query, 'limitBytes', 1),
		stream: stream === 'stdout' || stream === 'stderr' ? stream : undefined,
	};
}

function isTrue(value: string | null): boolean {
	return value !== null && value !== 'false' && value !== '0';
}

function integer(query: URLSearchParams, name: string, least: number): number | undefined {
	const text = query.get(name);
	if (text === null || text === '') return undefined;
	const value = Number(text);
	if (!Number.isInteger(value) || value < least)
		throw new AppError('InvalidArgument', `${name} "${text}" must be an integer of at least ${least}`);
	return value;
}
