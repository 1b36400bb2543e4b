/** Services: what depends on the type. Addresses and node ports come from the allocator (allocation/). */
import type { Service, ServiceSpec } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';
import { dropPolicyOfName, dropTypeDependent, isChecked } from './service-type.ts';
import { fieldsAt, type Strategy } from './strategy.ts';

export const serviceStrategy: Strategy = {
	status: ['status'],
	allowCreateOnUpdate: true,
	answersDeleted: true,
	fields: fieldsAt('spec.clusterIP', 'spec.type'),
	ownFieldLabels: true,
	prepareForCreate(object) {
		object['status'] = { loadBalancer: {} };
		const { spec } = object as Service;
		if (spec !== undefined && (spec.clusterIP ?? '') !== '' && (spec.clusterIPs ?? []).length === 0)
			spec.clusterIPs = [spec.clusterIP as string];
		dropPolicyOfName(spec);
	},
	prepareForUpdate(object, old) {
		const spec = (object as Service).spec;
		const before = (old as Service).spec;
		if (spec === undefined || before === undefined) return;
		keepAddresses(spec, before);
		keepPorts(spec, before);
		dropTypeDependent(spec, before);
		dropPolicyOfName(spec);
		if (spec.type !== 'LoadBalancer') object['status'] = { ...(object as Service).status, loadBalancer: {} };
	},
};

/** Before anything is dropped, so that what is asked of the address together with another type is seen (upstream patchAllocatedValues and normalizeClusterIPs). */
function keepAddresses(spec: ServiceSpec, before: ServiceSpec): void {
	// An update that leaves the address out keeps it.
	if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
		if ((spec.clusterIP ?? '') === '' && (before.clusterIP ?? '') !== '') spec.clusterIP = before.clusterIP;
		if ((spec.clusterIPs ?? []).length === 0) spec.clusterIPs = before.clusterIPs;
	}
	const isSame = (spec.clusterIP ?? '') === (before.clusterIP ?? '');
	if (isSame && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = before.clusterIPs;
	// A client that knows one address only changes that.
	if (!isSame && sameJson(spec.clusterIPs ?? [], before.clusterIPs ?? []))
		spec.clusterIPs = (spec.clusterIP ?? '') === '' ? undefined : [spec.clusterIP as string];
}

/** Node ports that are left out stay with the ports of their names, unless another one has them now (upstream patchAllocatedValues). */
function keepPorts(spec: ServiceSpec, before: ServiceSpec): void {
	if (isChecked(spec) && isChecked(before) && (spec.healthCheckNodePort ?? 0) === 0 && before.healthCheckNodePort !== undefined)
		spec.healthCheckNodePort = before.healthCheckNodePort;
	if (!getsNodePorts(spec) || !getsNodePorts(before)) return;
	const given = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort));
	const known = new Map((before.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
	for (const port of spec.ports ?? []) {
		const nodePort = known.get(port.name ?? '') ?? 0;
		if ((port.nodePort ?? 0) === 0 && nodePort !== 0 && !given.has(nodePort)) port.nodePort = nodePort;
	}
}

/** Whether some are allocated. */
function getsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
	return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}
