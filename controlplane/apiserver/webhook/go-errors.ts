/** What went wrong with a call, in the words that clients know from Go: dialling, TLS, answers. Pure. */
import { AppError, messageOf } from '../../../base/errors.ts';
import { hostPort } from '../../../base/host-port.ts';
import type { Address } from './endpoints.ts';

const UNKNOWN_AUTHORITY = new Set([
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'CERT_SIGNATURE_FAILURE',
]);
const VERIFY = 'tls: failed to verify certificate: x509:';

interface NodeError extends Error {
	readonly code?: string;
	readonly syscall?: string;
	readonly address?: string;
	readonly port?: number;
	readonly reason?: string;
	readonly errors?: readonly Error[];
}

export function goError(error: unknown, { host, port }: Address, serverName: string): string {
	if (error instanceof AppError) return error.code === 'DeadlineExceeded' ? 'context deadline exceeded' : error.message;
	// Several addresses of one name fail together; the first tells.
	const first = ((error as NodeError).errors?.[0] ?? error) as NodeError;
	const { code = '', syscall = '', address = host, port: at = port, reason = '' } = first;
	const dialled = hostPort(address, at);
	switch (code) {
		case 'ECONNREFUSED':
			return `dial tcp ${dialled}: connect: connection refused`;
		case 'EHOSTUNREACH':
			return `dial tcp ${dialled}: connect: no route to host`;
		case 'ENETUNREACH':
			return `dial tcp ${dialled}: connect: network is unreachable`;
		case 'ETIMEDOUT':
			return `dial tcp ${dialled}: i/o timeout`;
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return `dial tcp: lookup ${host}: no such host`;
		case 'ECONNRESET':
			return syscall === 'read' ? `read tcp ${dialled}: read: connection reset by peer` : 'EOF';
		case 'CERT_HAS_EXPIRED':
		case 'CERT_NOT_YET_VALID':
			return `${VERIFY} certificate has expired or is not yet valid`;
		case 'ERR_TLS_CERT_ALTNAME_INVALID':
			return `${VERIFY} ${altNames(error, serverName, reason)}`;
	}
	if (UNKNOWN_AUTHORITY.has(code)) return `${VERIFY} certificate signed by unknown authority`;
	if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
		return /wrong version number|packet length too long/.test(messageOf(error))
			? 'http: server gave HTTP response to HTTPS client'
			: `tls: ${messageOf(error)}`;
	return messageOf(error);
}

function altNames(error: unknown, serverName: string, reason: string): string {
	const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
	const names = [...(cert?.subjectaltname ?? '').matchAll(/(?:DNS|IP Address):([^,]+)/g)].map(([, name = '']) => name);
	if (/^[\d.]+$/.test(serverName) || serverName.includes(':')) {
		const ips = [...(cert?.subjectaltname ?? '').matchAll(/IP Address:([^,]+)/g)].map(([, name = '']) => name);
		return ips.length === 0
			? `cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`
			: `certificate is valid for ${ips.join(', ')}, not ${serverName}`;
	}
	if (names.length === 0)
		return reason === ''
			? 'certificate is not valid for any names'
			: `certificate is not valid for any names, but wanted to match ${serverName}`;
	return `certificate is valid for ${names.join(', ')}, not ${serverName}`;
}

/** What client-go says of answers with these codes, whatever they say themselves (NewGenericServerResponse). */
export const MESSAGES_BY_CODE: ReadonlyMap<number, string> = new Map([
	[400, 'the server rejected our request for an unknown reason'],
	[401, 'the server has asked for the client to provide credentials'],
	[404, 'the server could not find the requested resource'],
	[405, 'the server does not allow this method on the requested resource'],
	[409, 'the server reported a conflict'],
	[422, 'the server rejected our request due to an error in our request'],
	[429, 'the server has received too many requests and has asked us to try again later'],
	[503, 'the server is currently unable to handle the request'],
	[504, 'the server was unable to return a response in the time allotted, but may still be processing the request'],
]);

/** What client-go makes of an answer that is no success (NewGenericServerResponse). @param type its content type; '' for none */
export function answerError(status: number, body: string, type = ''): string {
	const text = body.trim();
	try {
		const parsed = JSON.parse(text) as { readonly kind?: string; readonly message?: string };
		if (parsed.kind === 'Status' && parsed.message !== undefined) return parsed.message;
	} catch {
		// plain text
	}
	const shown = text === '' || !isText(type) ? 'unknown' : text;
	return (
		MESSAGES_BY_CODE.get(status) ??
		(status >= 500 ? `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding` : shown)
	);
}

function isText(type: string): boolean {
	return type === '' || type.toLowerCase().startsWith('text/');
}
