/** Asking a server over HTTP/1.1 to upgrade the connection to another protocol. */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { refusedText } from './refused-text.ts';

export interface UpgradeTarget {
	/** http or https. */
	readonly url: URL;
	readonly headers?: Readonly<Record<string, string>>;
	/** PEM; what is left out is the platform's default. The server's certificate is verified unless told. */
	readonly tls?: { readonly caPem?: string; readonly certPem?: string; readonly keyPem?: string; readonly verify?: false };
}

export interface Upgraded {
	readonly socket: Duplex;
	/** What came behind the answer already. */
	readonly head: Uint8Array;
	readonly headers: IncomingMessage['headers'];
}

/** More of a refusal than this is not told. */
const MAX_REFUSAL_BYTES = 4096;

const CODES: Readonly<Record<number, ErrorCode>> = {
	400: 'InvalidArgument',
	401: 'Unauthenticated',
	403: 'PermissionDenied',
	404: 'NotFound',
	501: 'Unimplemented',
	503: 'Unavailable',
};

/** AppError with the server's words when it refuses, Unavailable when nobody answers. */
export function dialUpgrade(
	target: UpgradeTarget,
	method: 'GET' | 'POST',
	headers: Readonly<Record<string, string | string[]>>,
	signal: AbortSignal,
): Promise<Upgraded> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason as Error);
		const options = { method, headers: { ...target.headers, ...headers, connection: 'Upgrade' }, agent: false, signal } as const;
		const request =
			target.url.protocol === 'https:' ? requestHttps(target.url, { ...options, ...tlsOptions(target) }) : requestHttp(target.url, options);
		request.once('upgrade', (response, socket, head) => {
			socket.on('error', () => {}); // whoever reads it sees it end
			resolve({ socket, head, headers: response.headers });
		});
		request.once('response', (response) => void refusal(response).then(reject, reject));
		request.once('error', (cause) =>
			reject(
				signal.aborted
					? (signal.reason as Error)
					: new AppError('Unavailable', `Cannot reach "${target.url.host}": ${cause.message}`, { cause }),
			),
		);
		request.end();
	});
}

/** As node:tls names them. */
export function tlsOptions({ tls = {} }: UpgradeTarget): {
	readonly ca?: string;
	readonly cert?: string;
	readonly key?: string;
	readonly rejectUnauthorized?: false;
} {
	return {
		...(tls.caPem === undefined ? {} : { ca: tls.caPem }),
		...(tls.certPem === undefined ? {} : { cert: tls.certPem }),
		...(tls.keyPem === undefined ? {} : { key: tls.keyPem }),
		...(tls.verify === undefined ? {} : { rejectUnauthorized: tls.verify }),
	};
}

/** What an answer that is no 101 says. */
export async function refusal(response: IncomingMessage): Promise<AppError> {
	const text = await refusedText(response, MAX_REFUSAL_BYTES);
	const { statusCode = 0, statusMessage = '' } = response;
	return new AppError(
		CODES[statusCode] ?? 'Unknown',
		`The server refused to upgrade with ${statusCode} ${statusMessage}${text === '' ? '' : `: ${text}`}`,
	);
}
