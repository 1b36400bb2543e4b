/**
 * CustomResourceDefinitions as upstream's servers keep them to this day: in v1beta1, where what all versions have alike stands once beside
 * them. Pure.
 */

type Fields = Readonly<Record<string, unknown>>;

/** "apiVersion/kind", as objects in etcd name themselves. */
export const BETA_DEFINITION = 'apiextensions.k8s.io/v1beta1/CustomResourceDefinition';

/** The same in v1. */
export function fromBeta(object: Fields): Fields {
	const { version, validation, subresources, additionalPrinterColumns, selectableFields, ...spec } = (object['spec'] ?? {}) as Fields;
	const { versions = [], conversion, scope, preserveUnknownFields = true, ...rest } = spec;
	const listed = versions as readonly Fields[];
	const alone = version === undefined ? [] : [{ name: version, served: true, storage: true }];
	const alike = { schema: validation, subresources, additionalPrinterColumns, selectableFields };
	const made = (listed.length === 0 ? alone : listed).map((one) => inV1({ ...one, ...present(alike) }));
	return {
		...object,
		apiVersion: 'apiextensions.k8s.io/v1',
		spec: {
			...rest,
			scope: scope ?? 'Namespaced',
			versions: made,
			conversion: conversionInV1((conversion ?? { strategy: 'None' }) as Fields),
			...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
		},
	};
}

function inV1(version: Fields): Fields {
	const columns = version['additionalPrinterColumns'] as readonly Fields[] | undefined;
	if (columns === undefined) return version;
	return { ...version, additionalPrinterColumns: columns.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath })) };
}

function conversionInV1({ webhookClientConfig, conversionReviewVersions, ...conversion }: Fields): Fields {
	const webhook = present({ clientConfig: webhookClientConfig, conversionReviewVersions });
	if (conversion['strategy'] !== 'Webhook') return conversion;
	return { ...conversion, webhook: { conversionReviewVersions: ['v1beta1'], ...webhook } };
}

/** Without what is not there. */
function present(fields: Fields): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
