/** Quotas on services: their number, node ports and load balancers. Pure. */
import type { Service } from '../gen/types.ts';
import { addTo } from '../pod/amounts.ts';
import { count, objectCountName, type QuotaEvaluator } from './evaluator.ts';

const COUNT = objectCountName('', 'services');
const NAMES = new Set([COUNT, 'services', 'services.nodeports', 'services.loadbalancers']);

export const serviceQuota: QuotaEvaluator = {
	group: '',
	resource: 'services',
	charges: (subresource) => subresource === '',
	matching: (names) => names.filter((name) => NAMES.has(name)),
	usage(object) {
		const { spec } = object as Service;
		const ports = spec?.ports ?? [];
		const balances = spec?.type === 'LoadBalancer';
		const chosen = balances && spec.allocateLoadBalancerNodePorts === false ? ports.filter((p) => (p.nodePort ?? 0) !== 0) : ports;
		const usage = count([COUNT, 'services']);
		addTo(usage, count(['services.nodeports'], balances || spec?.type === 'NodePort' ? chosen.length : 0));
		return addTo(usage, count(['services.loadbalancers'], balances ? 1 : 0));
	},
};
