/** The status of load balancers, of Services and Ingresses: addresses and names of their ingress points. */
import { fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type { Ingress, Service } from '../../gen/types.ts';
import { ipComplaints, parseAddress } from '../address-form.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { dnsSubdomain } from '../names.ts';
import { texts, type Errors } from '../rule.ts';

const PATH = 'status.loadBalancer.ingress';
const MODES = ['Proxy', 'VIP'];

interface Point {
	readonly ip?: string | undefined;
	readonly hostname?: string | undefined;
	readonly ipMode?: string | undefined;
}

export function serviceStatusUpdate(out: Errors, service: Service, old: Service): void {
	objectMetaUpdate(out, service.metadata, old.metadata);
	const points = service.status?.loadBalancer?.ingress ?? [];
	if (service.spec?.type !== 'LoadBalancer') {
		if (points.length > 0) out.push(fieldForbidden(PATH, "may only be used when `spec.type` is 'LoadBalancer'"));
		return;
	}
	const known = knownIps(old.status?.loadBalancer?.ingress);
	for (const [i, point] of points.entries()) {
		const path = `${PATH}[${i}]`;
		ip(out, path, point, known);
		mode(out, path, point);
		hostname(out, path, point);
	}
}

export function ingressStatusUpdate(out: Errors, ingress: Ingress, old: Ingress): void {
	objectMetaUpdate(out, ingress.metadata, old.metadata);
	const known = knownIps(old.status?.loadBalancer?.ingress);
	for (const [i, point] of (ingress.status?.loadBalancer?.ingress ?? []).entries()) {
		ip(out, `${PATH}[${i}]`, point, known);
		hostname(out, `${PATH}[${i}]`, point);
	}
}

function knownIps(points: readonly Point[] | undefined): ReadonlySet<string> {
	return new Set((points ?? []).flatMap(({ ip: address = '' }) => (address === '' ? [] : [address])));
}

function ip(out: Errors, path: string, { ip: address = '' }: Point, known: ReadonlySet<string>): void {
	if (address !== '' && !known.has(address)) texts(out, `${path}.ip`, address, ipComplaints(address));
}

function mode(out: Errors, path: string, { ip: address = '', ipMode }: Point): void {
	if (ipMode === undefined) {
		if (address !== '') out.push(required(`${path}.ipMode`, 'must be specified when `ip` is set'));
	} else if (address === '') out.push(fieldForbidden(`${path}.ipMode`, 'may not be specified when `ip` is not set'));
	else if (!MODES.includes(ipMode)) out.push(notSupported(`${path}.ipMode`, ipMode, MODES));
}

function hostname(out: Errors, path: string, { hostname: name = '' }: Point): void {
	if (name === '') return;
	texts(out, `${path}.hostname`, name, dnsSubdomain(name));
	if (parseAddress(name) !== undefined) out.push(invalidValue(`${path}.hostname`, name, 'must be a DNS name, not an IP address'));
}
