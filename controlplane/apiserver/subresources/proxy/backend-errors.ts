/** Why a backend cannot be reached or understood, in the words that clients know from Go. Pure. */
import { unknownFailure, type StatusError } from '../../../../api/status.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import { hostPort } from '../../../../base/host-port.ts';
import { goError } from '../../webhook/go-errors.ts';

interface Place {
	readonly scheme: 'http' | 'https';
	readonly host: string;
	readonly port: number;
	readonly path: string;
}

type Failure = Error & { readonly code?: string; readonly syscall?: string; readonly rawPacket?: Buffer };

const NO_TLS = 'tls: first record does not look like a TLS handshake';
const NO_TLS_FOR_CLIENT = 'http: server gave HTTP response to HTTPS client';

/** What a transport of Go says of a request that got no answer. */
export function transportError(error: Error, { host, port }: Place): string {
	const failure = error as Failure;
	if (failure.code === 'ERR_SOCKET_BAD_PORT') return `dial tcp: address ${port}: invalid port`;
	if (isUnreadable(failure)) return `net/http: HTTP/1.x transport connection broken: ${malformed(failure)}`;
	const text = goError(error, { host, port }, host);
	return text === NO_TLS_FOR_CLIENT ? NO_TLS : text === 'socket hang up' ? 'EOF' : text;
}

/** What a client of Go says of the same (`http.Client`). */
export function clientError(error: Error, place: Place): StatusError {
	const text = transportError(error, place);
	return unknownFailure(`Get ${quotedUrl(place)}: ${text === NO_TLS ? NO_TLS_FOR_CLIENT : text}`);
}

/** What one says that dials and reads by hand (streaming's SpdyRoundTripper). */
export function requestError(error: Error, place: Place): string {
	const text = isUnreadable(error) ? malformed(error) : transportError(error, place);
	return `error sending request: Post ${quotedUrl(place)}: ${text === 'EOF' ? 'unexpected EOF' : text}`;
}

function quotedUrl({ scheme, host, port, path }: Place): string {
	return goQuote(`${scheme}://${hostPort(host, port)}${path}`);
}

/** What is said of an upgrade that came to nothing, dialled by hand and read by hand (apimachinery's UpgradeAwareHandler). */
export function upgradeError(error: Error, place: Place): StatusError {
	const failure = error as Failure;
	if (isUnreadable(failure)) return unknownFailure(malformed(failure));
	const text = transportError(error, place);
	return unknownFailure(text === 'EOF' ? 'unexpected EOF' : `error dialing backend: ${text}`);
}

export function noUpgrade(status: number): StatusError {
	return unknownFailure(`invalid upgrade response: status code ${status}`);
}

const isUnreadable = ({ code = '' }: Failure): boolean => code.startsWith('HPE_');

/** What Go's http.ReadResponse makes of a first line that is none of HTTP. */
function malformed({ rawPacket, message }: Failure): string {
	const line = rawPacket?.toString('latin1').split(/\r?\n/, 1)[0] ?? message;
	const [proto = '', ...rest] = line.split(' ');
	if (rest.length === 0) return `malformed HTTP response ${goQuote(line)}`;
	const status = rest.join(' ').trimStart().split(' ', 1)[0] ?? '';
	if (status.length !== 3 || !/^\d+$/.test(status)) return `malformed HTTP status code ${goQuote(status)}`;
	return `malformed HTTP version ${goQuote(proto)}`;
}
