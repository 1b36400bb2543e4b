/** Services: what depends on the type. Addresses and node ports come from the allocator (allocation/). */
import type { Service } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';
import { dropPolicyOfName, dropTypeDependent } from './service-type.ts';
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
		// An update that leaves the address out keeps it (upstream patchAllocatedValues).
		if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
			if ((spec.clusterIP ?? '') === '' && (before.clusterIP ?? '') !== '') spec.clusterIP = before.clusterIP;
			if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === before.clusterIP) spec.clusterIPs = before.clusterIPs;
		}
		dropTypeDependent(spec, before);
		dropPolicyOfName(spec);
		// A client that knows one address only changes that.
		if (spec.clusterIP !== before.clusterIP && sameJson(spec.clusterIPs, before.clusterIPs))
			spec.clusterIPs = (spec.clusterIP ?? '') === '' ? undefined : [spec.clusterIP as string];
		for (const port of spec.ports ?? []) {
			if ((port.nodePort ?? 0) !== 0 || (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer')) continue;
			const same = before.ports?.find((p) => p.port === port.port && (p.protocol ?? 'TCP') === (port.protocol ?? 'TCP'));
			if (same?.nodePort !== undefined) port.nodePort = same.nodePort;
		}
		if (spec.type !== 'LoadBalancer') object['status'] = { ...(object as Service).status, loadBalancer: {} };
	},
};
