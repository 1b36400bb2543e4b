/** Whether an aggregated API can be reached, as far as its Service and endpoints tell (upstream's remote_available_controller). Pure. */
import type { APIService, APIServiceCondition, EndpointSlice, Service } from '../../../api/gen/types.ts';
import { timeOf } from '../../../api/time.ts';

export type Availability = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

const LOCAL: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
export const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Undefined: it has to be asked. */
export function beforeAsking(
	{ spec }: APIService,
	service: Service | undefined,
	slices: readonly EndpointSlice[],
): Availability | undefined {
	if (spec?.service === undefined) return LOCAL;
	const { name = '', namespace = '', port: wanted = 443 } = spec.service;
	const place = `service/${name} in ${JSON.stringify(namespace)}`;
	const no = (reason: string, message: string): Availability => ({ status: 'False', reason, message });
	if (service === undefined) return no('ServiceNotFound', `${place} is not present`);
	if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
	const port = (service.spec?.ports ?? []).find((one) => one.port === wanted);
	if (port === undefined) return no('ServicePortError', `${place} is not listening on port ${wanted}`);
	if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${place}`);
	const portName = port.name ?? '';
	const isActive = slices.some(
		({ endpoints, ports }) =>
			(ports ?? []).some((one) => (one.name ?? '') === portName) &&
			(endpoints ?? []).some(({ addresses, conditions }) => addresses.length > 0 && conditions?.ready !== false),
	);
	if (!isActive) return no('MissingEndpoints', `endpointslices for ${place} have no addresses with port name ${JSON.stringify(portName)}`);
	return undefined;
}

export function isAvailable({ status }: APIService): boolean {
	return (status?.conditions ?? []).some((condition) => condition.type === 'Available' && condition.status === 'True');
}

/** The APIService with this condition; the same object where it has it. */
export function withAvailability<T extends APIService>(service: T, { status, reason, message }: Availability, now: number): T {
	const type = 'Available';
	const before = service.status?.conditions ?? [];
	const old = before.find((condition) => condition.type === type);
	if (old !== undefined && old.status === status && old.reason === reason && old.message === message) return service;
	const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timeOf(now);
	const made = { type, status, lastTransitionTime, reason, message };
	const conditions = old === undefined ? [...before, made] : before.map((condition) => (condition === old ? made : condition));
	return { ...service, status: { ...service.status, conditions } };
}
