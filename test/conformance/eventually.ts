/** Waiting for what a running cluster will do, and what it refuses. */
import { ApiException } from '@kubernetes/client-node';

/** What `seen` answers once it is neither undefined nor false; rejects with `what` after the time. */
export async function eventually<T>(what: string, seen: () => Promise<T | undefined | false>, timeoutMs = 40_000): Promise<T> {
	const until = Date.now() + timeoutMs;
	for (;;) {
		const value = await seen();
		if (value !== undefined && value !== false) return value;
		if (Date.now() > until) throw new Error(`Not seen within ${timeoutMs} ms: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

/** Undefined instead of a rejection with 404. */
export async function orGone<T>(call: Promise<T>): Promise<T | undefined> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof ApiException && error.code === 404) return undefined;
		throw error;
	}
}

export const gone = async (call: Promise<unknown>): Promise<boolean> => (await orGone(call)) === undefined;

export interface Refusal {
	readonly code: number;
	readonly reason: string;
	readonly message: string;
}

/** How the server refused; 200 when it did not. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
	try {
		await call;
	} catch (error) {
		if (!(error instanceof ApiException)) throw error;
		const { message = '', reason = '' } = (typeof error.body === 'string' ? JSON.parse(error.body) : error.body) as Partial<Refusal>;
		return { code: error.code, reason, message };
	}
	return { code: 200, reason: '', message: '' };
}
