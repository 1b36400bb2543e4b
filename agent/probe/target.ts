/** Where probes and hooks connect to. Pure. */
import type { Container, HTTPGetAction, IntOrString } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';

export interface HttpTarget {
	readonly scheme: 'http' | 'https';
	readonly host: string;
	readonly port: number;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
}

export function httpTarget(action: HTTPGetAction, container: Container, podIp: string): HttpTarget {
	return {
		scheme: action.scheme === 'HTTPS' ? 'https' : 'http',
		host: action.host || podIp,
		port: portOf(action.port, container),
		path: action.path?.startsWith('/') === true ? action.path : `/${action.path ?? ''}`,
		headers: Object.fromEntries((action.httpHeaders ?? []).map((h) => [h.name, h.value])),
	};
}

/** "host:port". */
export function hostOf({ host, port }: Pick<HttpTarget, 'host' | 'port'>): string {
	return hostPort(host, port);
}

/** A number, or the name of one of the container's ports. */
export function portOf(port: IntOrString, container: Container): number {
	const named = typeof port === 'string' ? container.ports?.find((p) => p.name === port)?.containerPort : undefined;
	const number = typeof port === 'number' ? port : (named ?? numberOf(port));
	if (Number.isInteger(number) && number > 0 && number < 65536) return number;
	throw new AppError('InvalidArgument', `invalid port number: ${port}`);
}

function numberOf(text: string): number {
	if (!/^[+-]?\d+$/.test(text)) throw new AppError('InvalidArgument', `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
	return Number(text);
}
