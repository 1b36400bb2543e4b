/** Services, endpoints, ingresses and policies in tables. Pure. */
import type {
	Endpoints,
	EndpointSlice,
	Ingress,
	IngressClass,
	IPAddress,
	NetworkPolicy,
	Service,
	ServiceCIDR,
} from '../../../api/gen/types.ts';
import { age, columns, labelText, orNone, selectorText, type Cell, type Printer } from './column.ts';

const SHOWN = 3;

/** "80/TCP,443:30443/TCP" */
function portsText(service: Service): string {
	const ports = (service.spec?.ports ?? []).map(
		(p) => `${p.port}${p.nodePort === undefined || p.nodePort === 0 ? '' : `:${p.nodePort}`}/${p.protocol ?? 'TCP'}`,
	);
	return orNone(ports.join(','));
}

function externalIp(service: Service): string {
	const own = service.spec?.externalIPs ?? [];
	switch (service.spec?.type ?? 'ClusterIP') {
		case 'ClusterIP':
		case 'NodePort':
			return orNone(own.join(','));
		case 'LoadBalancer': {
			const given = (service.status?.loadBalancer?.ingress ?? []).map((i) => i.ip ?? i.hostname ?? '').filter(Boolean);
			return [...given, ...own].join(',') || '<pending>';
		}
		case 'ExternalName':
			return service.spec?.externalName ?? '';
		default:
			return '<unknown>';
	}
}

export const servicePrinter: Printer = {
	columns: columns('Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector*'),
	cells: (s: Service, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.spec?.type ?? '',
		orNone(s.spec?.clusterIP),
		externalIp(s),
		portsText(s),
		age(s, now),
		labelText(s.spec?.selector),
	],
};

export const endpointsPrinter: Printer = {
	columns: columns('Name', 'Endpoints', 'Age'),
	cells(e: Endpoints, now): readonly Cell[] {
		const all = (e.subsets ?? []).flatMap((s) => {
			const ports = s.ports ?? [];
			return (s.addresses ?? []).flatMap((a) => (ports.length === 0 ? [a.ip] : ports.map((p) => `${a.ip}:${p.port}`)));
		});
		const more = all.length > SHOWN ? ` + ${all.length - SHOWN} more...` : '';
		return [e.metadata.name ?? '', orNone(`${all.slice(0, SHOWN).join(',')}${more}`), age(e, now)];
	},
};

const listed = (all: readonly string[], unset: string): string =>
	all.length === 0 ? unset : all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');

export const endpointSlicePrinter: Printer = {
	columns: columns('Name', 'AddressType', 'Ports', 'Endpoints', 'Age'),
	cells: (s: EndpointSlice, now): readonly Cell[] => [
		s.metadata.name ?? '',
		s.addressType,
		listed(
			(s.ports ?? []).map((p) => (p.port === undefined ? '*' : String(p.port))),
			'<unset>',
		),
		listed(
			(s.endpoints ?? []).flatMap((e) => e.addresses ?? []),
			'<unset>',
		),
		age(s, now),
	],
};

export const ingressPrinter: Printer = {
	columns: columns('Name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'),
	cells(i: Ingress, now): readonly Cell[] {
		const hosts = (i.spec?.rules ?? []).map((r) => r.host ?? '').filter(Boolean);
		const shown =
			hosts.length === 0
				? '*'
				: hosts.length > SHOWN
					? `${hosts.slice(0, SHOWN).join(',')} + ${hosts.length - SHOWN} more...`
					: hosts.join(',');
		const addresses = (i.status?.loadBalancer?.ingress ?? []).map((a) => a.ip ?? a.hostname ?? '').filter(Boolean);
		return [
			i.metadata.name ?? '',
			orNone(i.spec?.ingressClassName),
			shown,
			addresses.join(','),
			(i.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
			age(i, now),
		];
	},
};

export const ingressClassPrinter: Printer = {
	columns: columns('Name', 'Controller', 'Parameters', 'Age'),
	cells(c: IngressClass, now): readonly Cell[] {
		const p = c.spec?.parameters;
		const group = p?.apiGroup === undefined || p.apiGroup === '' ? '' : `.${p.apiGroup}`;
		return [c.metadata.name ?? '', c.spec?.controller ?? '', p === undefined ? '<none>' : `${p.kind}${group}/${p.name}`, age(c, now)];
	},
};

export const networkPolicyPrinter: Printer = {
	columns: columns('Name', 'Pod-Selector', 'Age'),
	cells: (p: NetworkPolicy, now): readonly Cell[] => [p.metadata.name ?? '', selectorText(p.spec?.podSelector), age(p, now)],
};

export const serviceCidrPrinter: Printer = {
	columns: columns('Name', 'CIDRs', 'Age'),
	cells: (s: ServiceCIDR, now): readonly Cell[] => [s.metadata.name ?? '', (s.spec?.cidrs ?? []).join(','), age(s, now)],
};

export const ipAddressPrinter: Printer = {
	columns: columns('Name', 'ParentRef'),
	cells(i: IPAddress): readonly Cell[] {
		const ref = i.spec?.parentRef;
		const parts = [ref?.resource, ref?.group, ref?.namespace, ref?.name].filter((x) => x !== undefined && x !== '');
		return [i.metadata.name ?? '', ref === undefined ? '<none>' : parts.join('/')];
	},
};
