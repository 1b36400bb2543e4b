/** Answers in full, and what a fault answers. */
import type { ServerResponse } from 'node:http';
import { codeOf, messageOf } from '../../base/errors.ts';

/** A refusal with its HTTP status. */
export interface Refusal {
	readonly status: number;
	readonly text: string;
}

/** For a request line that asks for no URL. */
export const BAD_REQUEST: Refusal = { status: 400, text: 'Bad Request\n' };

const STATUS: Readonly<Record<string, number>> = {
	NotFound: 404,
	InvalidArgument: 400,
	PermissionDenied: 403,
	Unauthenticated: 401,
	ResourceExhausted: 429,
	Unimplemented: 501,
	Unavailable: 502,
};

export function refusalOf(error: unknown): Refusal {
	return { status: STATUS[codeOf(error)] ?? 500, text: `${messageOf(error)}\n` };
}

export function answer(response: ServerResponse, { status, text }: Refusal): void {
	const again = status === 429 ? { 'retry-after': '10' } : {};
	response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...again }).end(text);
}

export function text(response: ServerResponse, body: string): void {
	answer(response, { status: 200, text: body });
}

export function json(response: ServerResponse, body: unknown): void {
	jsonText(response, JSON.stringify(body));
}

export function jsonText(response: ServerResponse, body: string): void {
	response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}
