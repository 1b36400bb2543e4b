/** Dynamic resource allocation: claims and their templates, device classes. Selectors' expressions are checked where they are compiled. */
import { invalidValue } from '../../field-error.ts';
import type { DeviceClass, ResourceClaimTemplate, ResourceResourceClaim } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { sameTyped } from '../../same-typed.ts';
import { deviceClaim } from './claims.ts';
import { items } from './lists.ts';
import { opaqueConfiguration } from './names.ts';
import { deviceSelectors } from './selectors.ts';
import { byteCounted } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate, templateMeta } from '../metadata.ts';
import { same, type Errors } from '../rule.ts';
import { isExtendedResource } from '../pod/resources.ts';

const CLASS_META = { name: byteCounted, namespaced: false, finalizers: true };
const MAX_CONFIG = 32;

export function resourceClaim(out: Errors, object: ResourceResourceClaim): void {
	objectMeta(out, object.metadata, NAMESPACED);
	deviceClaim(out, 'spec.devices', object.spec?.devices ?? {});
}

export function resourceClaimUpdate(out: Errors, object: ResourceResourceClaim, old: ResourceResourceClaim): void {
	objectMeta(out, object.metadata, NAMESPACED);
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimSpec', object.spec, old.spec);
}

export function resourceClaimTemplate(out: Errors, object: ResourceClaimTemplate): void {
	objectMeta(out, object.metadata, NAMESPACED);
	templateMeta(out, 'spec.metadata', object.spec?.metadata);
	deviceClaim(out, 'spec.spec.devices', object.spec?.spec?.devices ?? {});
}

export function resourceClaimTemplateUpdate(out: Errors, object: ResourceClaimTemplate, old: ResourceClaimTemplate): void {
	resourceClaimTemplate(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimTemplateSpec', object.spec, old.spec);
}

function frozenSpec(out: Errors, type: string, spec: object | undefined, old: object | undefined): void {
	if (!sameTyped(type, spec, old)) out.push(invalidValue('spec', internalForm(type, spec), 'field is immutable'));
}

export function deviceClass(out: Errors, { metadata, spec }: DeviceClass): void {
	objectMeta(out, metadata, CLASS_META);
	classSpec(out, spec, undefined);
}

export function deviceClassUpdate(out: Errors, { metadata, spec }: DeviceClass, old: DeviceClass): void {
	objectMeta(out, metadata, CLASS_META);
	objectMetaUpdate(out, metadata, old.metadata);
	classSpec(out, spec, old.spec);
}

function classSpec(out: Errors, spec: DeviceClass['spec'] | undefined, old: DeviceClass['spec'] | undefined): void {
	deviceSelectors(out, 'spec.selectors', spec?.selectors ?? []);
	const isStored = old !== undefined && same(spec?.config, old.config);
	items(out, 'spec.config', spec?.config ?? [], MAX_CONFIG, (at, { opaque }) => opaqueConfiguration(out, at, opaque, isStored));
	const { extendedResourceName: extended } = spec ?? {};
	if (extended !== undefined && !isExtendedResource(extended))
		out.push(invalidValue('spec.extendedResourceName', extended, 'must be a valid extended resource name'));
}
