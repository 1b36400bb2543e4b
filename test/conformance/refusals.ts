/** What a running cluster refuses, and what is gone. */
import { ApiException } from '@kubernetes/client-node';

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
