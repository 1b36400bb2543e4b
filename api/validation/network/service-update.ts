/** Updates of Services: addresses stay, but for a second one that comes or goes (core ValidateServiceUpdate). */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import type { Service, ServiceSpec } from '../../gen/types.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { same, type Errors } from '../rule.ts';
import { loadBalancerClass, serviceSpec } from './service.ts';

const FIXED = 'may not change once set';

export function serviceUpdate(out: Errors, object: Service, old: Service): void {
	objectMetaUpdate(out, object.metadata ?? {}, old.metadata ?? {});
	const { spec = {} } = object;
	const before = old.spec ?? {};
	// Of families the allocator says what is wrong.
	if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') addresses(out, spec, before);
	if (spec.type === 'LoadBalancer' && before.type === 'LoadBalancer' && !same(spec.loadBalancerClass, before.loadBalancerClass))
		out.push(invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, FIXED));
	loadBalancerClass(out, spec);
	if (isChecked(spec) && isChecked(before) && (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0))
		out.push(fieldForbidden('spec.healthCheckNodePort', 'field is immutable'));
	serviceSpec(out, object, old);
}

const isHeadless = ({ clusterIP }: ServiceSpec): boolean => clusterIP === 'None';
const isChecked = (spec: ServiceSpec): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

function addresses(out: Errors, spec: ServiceSpec, before: ServiceSpec): void {
	if (isHeadless(spec) && isHeadless(before)) return;
	const [now, old] = [spec.clusterIPs ?? [], before.clusterIPs ?? []];
	const shown = spec.clusterIPs ?? null;
	if (now.length === old.length) {
		for (const [i, ip] of old.entries()) if (now[i] !== ip) out.push(invalidValue(`spec.clusterIPs[${i}]`, shown, FIXED));
		return;
	}
	if (now.length === 0) out.push(invalidValue('spec.clusterIPs[0]', shown, 'primary clusterIP can not be unset'));
	else if (old.length > 0 && now[0] !== old[0]) out.push(invalidValue('spec.clusterIPs[0]', shown, FIXED));
	if (now.length !== 1 || old.length < 2 || spec.ipFamilyPolicy === 'SingleStack') return;
	const text = "must be set to 'SingleStack' when releasing the secondary clusterIP";
	out.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, text));
}
