/** The answer of a webhook to a review: one of the same kind, or why it is none, in client-go's words. Pure. */
import { AppError } from '../../../base/errors.ts';

export interface Review {
	readonly apiVersion: string;
	readonly kind: string;
}

/** What it does not say is as it was asked. AppError Internal for another kind, and for nothing. */
export function reviewIn(answer: unknown, asked: Review): object {
	if (answer === undefined) throw wrong('0-length response');
	if (typeof answer !== 'object' || answer === null) return {};
	const { kind = asked.kind, apiVersion = asked.apiVersion } = answer as Partial<Review>;
	if (kind !== asked.kind || groupOf(apiVersion) !== groupOf(asked.apiVersion))
		throw wrong(`converting (${goType(kind, apiVersion)}) to (${goType(asked.kind, asked.apiVersion)}): unknown conversion`);
	return answer;
}

function groupOf(apiVersion: string): string {
	return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function goType(kind: string, apiVersion: string): string {
	return `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`;
}

function wrong(why: string): AppError {
	return new AppError('Internal', why);
}
