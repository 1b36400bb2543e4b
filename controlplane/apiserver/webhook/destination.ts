/** Where a webhook is: its URL as errors name it, and the address to dial, which for a service is one of its endpoints. */
import { ENDPOINT_SLICES, SERVICES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ObjectReader } from '../contracts.ts';
import { readyAddresses, slicesOf, type Address } from './endpoints.ts';

/** A webhook's client configuration, as admission, conversion and APIServices have it. */
export interface ClientConfig {
	/** base64 of PEM; the system's authorities when absent. */
	readonly caBundle?: string | undefined;
	readonly url?: string | undefined;
	readonly service?:
		| { readonly namespace: string; readonly name: string; readonly path?: string | undefined; readonly port?: number | undefined }
		| undefined;
}

export interface Destination {
	/** "https://s.ns.svc:443/path" */
	readonly url: URL;
	/** What to connect to. AppError Unavailable where a service has nobody behind it. */
	dial(): Address;
}

/** The URL is fixed, the address is looked up for each call. */
export function destinationOf({ url, service }: ClientConfig, objects: ObjectReader, clock: Clock): Destination {
	if (service === undefined) {
		const parsed = new URL(url ?? '');
		const host = parsed.hostname.replace(/^\[|\]$/g, '');
		return { url: parsed, dial: () => ({ host, port: parsed.port === '' ? 443 : Number(parsed.port) }) };
	}
	const { namespace, name, path = '', port = 443 } = service;
	// The URL parser drops the scheme's usual port; errors name it.
	const parsed = new URL(`https://${name}.${namespace}.svc${port === 443 ? '' : `:${port}`}${path.startsWith('/') ? path : `/${path}`}`);
	return { url: parsed, dial: () => serviceAddress(objects, clock, namespace, name, port) };
}

/** Any ready endpoint of a service's port. AppError Unavailable, in upstream's words. */
export function serviceAddress(objects: ObjectReader, clock: Clock, namespace: string, name: string, port: number): Address {
	const quoted = JSON.stringify(name);
	const service = objects.get(SERVICES, `${namespace}/${name}`);
	if (service === undefined) throw new AppError('Unavailable', `service ${quoted} not found`);
	if (service.spec?.type === 'ExternalName') return { host: service.spec.externalName ?? '', port };
	const found = (service.spec?.ports ?? []).find((p) => p.port === port);
	if (found === undefined) throw new AppError('Unavailable', `no service port ${port} found for service ${quoted}`);
	const addresses = readyAddresses(slicesOf(objects.list(ENDPOINT_SLICES, namespace), name), found.name ?? '');
	const chosen = addresses[Math.floor(clock.random() * addresses.length)];
	if (chosen === undefined) throw new AppError('Unavailable', `no endpoints available for service ${quoted}`);
	return chosen;
}
