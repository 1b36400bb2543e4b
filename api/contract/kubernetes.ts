/**
 * The Kubernetes 1.36 API as facts: every type and field with wire number, JSON name, list and merge markers, defaults.
 *
 * A type's line: `struct NAME`, `encoded NAME FORM` (own JSON form; its lines are what is on the wire), `enum NAME SCALAR [closed set]`,
 * `scalar NAME SCALAR [known values]`, `alias NAME EXPRESSION`. A field's line, in Go's order: JSON name, wire number (`-`: not on the wire),
 * type expression (`*T` pointer, `[]T` list, `map[K]T`), markers. `required` of inlined structs is not repeated.
 * `default` is OpenAPI's, `defaulted` what defaulting sets at every place of the field. Names: `name.ts`.
 */
export const CONTRACT = `
struct admission.v1.AdmissionRequest
 uid 1 machinery.types.UID
 kind 2 meta.v1.GroupVersionKind
 resource 3 meta.v1.GroupVersionResource
 subResource 4 string omitempty
 requestKind 13 *meta.v1.GroupVersionKind omitempty
 requestResource 14 *meta.v1.GroupVersionResource omitempty
 requestSubResource 15 string omitempty
 name 5 string omitempty
 namespace 6 string omitempty
 operation 7 admission.v1.Operation
 userInfo 8 authentication.v1.UserInfo
 object 9 machinery.runtime.RawExtension omitempty
 oldObject 10 machinery.runtime.RawExtension omitempty
 dryRun 11 *bool omitempty
 options 12 machinery.runtime.RawExtension omitempty
struct admission.v1.AdmissionResponse
 uid 1 machinery.types.UID
 allowed 2 bool
 status 3 *meta.v1.Status omitempty
 patch 4 bytes omitempty
 patchType 5 *admission.v1.PatchType omitempty
 auditAnnotations 6 map[string]string omitempty
 warnings 7 []string omitempty
struct admission.v1.AdmissionReview gvk=admission.k8s.io/v1/AdmissionReview
 TypeMeta - meta.v1.TypeMeta inline
 request 1 *admission.v1.AdmissionRequest omitempty
 response 2 *admission.v1.AdmissionResponse omitempty
scalar admission.v1.Operation string ["CONNECT","CREATE","DELETE","UPDATE"]
scalar admission.v1.PatchType string ["JSONPatch"]
struct admissionregistration.v1.ApplyConfiguration
 expression 1 string omitempty
struct admissionregistration.v1.AuditAnnotation
 key 1 string required
 valueExpression 2 string required
struct admissionregistration.v1.ExpressionWarning
 fieldRef 2 string required
 warning 3 string required
enum admissionregistration.v1.FailurePolicyType string ["Fail","Ignore"]
struct admissionregistration.v1.JSONPatch
 expression 1 string omitempty
struct admissionregistration.v1.MatchCondition
 name 1 string required
 expression 2 string required
enum admissionregistration.v1.MatchPolicyType string ["Equivalent","Exact"]
struct admissionregistration.v1.MatchResources mapType=atomic
 namespaceSelector 1 *meta.v1.LabelSelector omitempty defaulted={}
 objectSelector 2 *meta.v1.LabelSelector omitempty defaulted={}
 resourceRules 3 []admissionregistration.v1.NamedRuleWithOperations omitempty listType=atomic
 excludeResourceRules 4 []admissionregistration.v1.NamedRuleWithOperations omitempty listType=atomic
 matchPolicy 7 *admissionregistration.v1.MatchPolicyType omitempty defaulted="Equivalent"
struct admissionregistration.v1.MutatingAdmissionPolicy gvk=admissionregistration.k8s.io/v1/MutatingAdmissionPolicy
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 admissionregistration.v1.MutatingAdmissionPolicySpec omitempty
struct admissionregistration.v1.MutatingAdmissionPolicyBinding gvk=admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 admissionregistration.v1.MutatingAdmissionPolicyBindingSpec omitempty
struct admissionregistration.v1.MutatingAdmissionPolicyBindingList gvk=admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBindingList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.MutatingAdmissionPolicyBinding required
struct admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
 policyName 1 string omitempty
 paramRef 2 *admissionregistration.v1.ParamRef omitempty
 matchResources 3 *admissionregistration.v1.MatchResources omitempty
struct admissionregistration.v1.MutatingAdmissionPolicyList gvk=admissionregistration.k8s.io/v1/MutatingAdmissionPolicyList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.MutatingAdmissionPolicy required
struct admissionregistration.v1.MutatingAdmissionPolicySpec
 paramKind 1 *admissionregistration.v1.ParamKind omitempty
 matchConstraints 2 *admissionregistration.v1.MatchResources omitempty
 variables 3 []admissionregistration.v1.Variable omitempty listType=atomic
 mutations 4 []admissionregistration.v1.Mutation omitempty listType=atomic
 failurePolicy 5 *admissionregistration.v1.FailurePolicyType omitempty defaulted="Fail"
 matchConditions 6 []admissionregistration.v1.MatchCondition omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 reinvocationPolicy 7 admissionregistration.v1.ReinvocationPolicyType omitempty
struct admissionregistration.v1.MutatingWebhook
 name 1 string required
 clientConfig 2 admissionregistration.v1.WebhookClientConfig required
 rules 3 []admissionregistration.v1.RuleWithOperations omitempty listType=atomic
 failurePolicy 4 *admissionregistration.v1.FailurePolicyType omitempty defaulted="Fail"
 matchPolicy 9 *admissionregistration.v1.MatchPolicyType omitempty defaulted="Equivalent"
 namespaceSelector 5 *meta.v1.LabelSelector omitempty defaulted={}
 objectSelector 11 *meta.v1.LabelSelector omitempty defaulted={}
 sideEffects 6 *admissionregistration.v1.SideEffectClass required
 timeoutSeconds 7 *int32 omitempty defaulted=10
 admissionReviewVersions 8 []string required listType=atomic
 reinvocationPolicy 10 *admissionregistration.v1.ReinvocationPolicyType omitempty defaulted="Never"
 matchConditions 12 []admissionregistration.v1.MatchCondition omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct admissionregistration.v1.MutatingWebhookConfiguration gvk=admissionregistration.k8s.io/v1/MutatingWebhookConfiguration
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 webhooks 2 []admissionregistration.v1.MutatingWebhook omitempty proto=Webhooks patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct admissionregistration.v1.MutatingWebhookConfigurationList gvk=admissionregistration.k8s.io/v1/MutatingWebhookConfigurationList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.MutatingWebhookConfiguration required
struct admissionregistration.v1.Mutation
 patchType 2 admissionregistration.v1.PatchType required
 applyConfiguration 3 *admissionregistration.v1.ApplyConfiguration omitempty
 jsonPatch 4 *admissionregistration.v1.JSONPatch omitempty
struct admissionregistration.v1.NamedRuleWithOperations mapType=atomic
 resourceNames 1 []string omitempty listType=atomic
 ruleWithOperations 2 admissionregistration.v1.RuleWithOperations inline
enum admissionregistration.v1.OperationType string ["*","CONNECT","CREATE","DELETE","UPDATE"]
struct admissionregistration.v1.ParamKind mapType=atomic
 apiVersion 1 string omitempty
 kind 2 string omitempty
struct admissionregistration.v1.ParamRef mapType=atomic
 name 1 string omitempty
 namespace 2 string omitempty
 selector 3 *meta.v1.LabelSelector omitempty
 parameterNotFoundAction 4 *admissionregistration.v1.ParameterNotFoundActionType omitempty
scalar admissionregistration.v1.ParameterNotFoundActionType string ["Allow","Deny"]
enum admissionregistration.v1.PatchType string ["ApplyConfiguration","JSONPatch"]
enum admissionregistration.v1.ReinvocationPolicyType string ["IfNeeded","Never"]
struct admissionregistration.v1.Rule
 apiGroups 1 []string omitempty listType=atomic
 apiVersions 2 []string omitempty listType=atomic
 resources 3 []string omitempty listType=atomic
 scope 4 *admissionregistration.v1.ScopeType omitempty defaulted="*"
struct admissionregistration.v1.RuleWithOperations
 operations 1 []admissionregistration.v1.OperationType omitempty listType=atomic
 rule 2 admissionregistration.v1.Rule inline
enum admissionregistration.v1.ScopeType string ["*","Cluster","Namespaced"]
struct admissionregistration.v1.ServiceReference
 namespace 1 string required
 name 2 string required
 path 3 *string omitempty
 port 4 *int32 omitempty defaulted=443
enum admissionregistration.v1.SideEffectClass string ["None","NoneOnDryRun","Some","Unknown"]
struct admissionregistration.v1.TypeChecking
 expressionWarnings 1 []admissionregistration.v1.ExpressionWarning omitempty listType=atomic
struct admissionregistration.v1.ValidatingAdmissionPolicy gvk=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 admissionregistration.v1.ValidatingAdmissionPolicySpec omitempty
 status 3 admissionregistration.v1.ValidatingAdmissionPolicyStatus omitempty
struct admissionregistration.v1.ValidatingAdmissionPolicyBinding gvk=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec required omitempty
struct admissionregistration.v1.ValidatingAdmissionPolicyBindingList gvk=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBindingList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.ValidatingAdmissionPolicyBinding required
struct admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
 policyName 1 string required omitempty
 paramRef 2 *admissionregistration.v1.ParamRef omitempty
 matchResources 3 *admissionregistration.v1.MatchResources omitempty
 validationActions 4 []admissionregistration.v1.ValidationAction required omitempty listType=set
struct admissionregistration.v1.ValidatingAdmissionPolicyList gvk=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.ValidatingAdmissionPolicy required
struct admissionregistration.v1.ValidatingAdmissionPolicySpec
 paramKind 1 *admissionregistration.v1.ParamKind omitempty
 matchConstraints 2 *admissionregistration.v1.MatchResources omitempty
 validations 3 []admissionregistration.v1.Validation omitempty listType=atomic
 failurePolicy 4 *admissionregistration.v1.FailurePolicyType omitempty defaulted="Fail"
 auditAnnotations 5 []admissionregistration.v1.AuditAnnotation omitempty listType=atomic
 matchConditions 6 []admissionregistration.v1.MatchCondition omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 variables 7 []admissionregistration.v1.Variable omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct admissionregistration.v1.ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64 omitempty
 typeChecking 2 *admissionregistration.v1.TypeChecking omitempty
 conditions 3 []meta.v1.Condition omitempty listType=map listMapKeys=type
struct admissionregistration.v1.ValidatingWebhook
 name 1 string required
 clientConfig 2 admissionregistration.v1.WebhookClientConfig required
 rules 3 []admissionregistration.v1.RuleWithOperations omitempty listType=atomic
 failurePolicy 4 *admissionregistration.v1.FailurePolicyType omitempty defaulted="Fail"
 matchPolicy 9 *admissionregistration.v1.MatchPolicyType omitempty defaulted="Equivalent"
 namespaceSelector 5 *meta.v1.LabelSelector omitempty defaulted={}
 objectSelector 10 *meta.v1.LabelSelector omitempty defaulted={}
 sideEffects 6 *admissionregistration.v1.SideEffectClass required
 timeoutSeconds 7 *int32 omitempty defaulted=10
 admissionReviewVersions 8 []string required listType=atomic
 matchConditions 11 []admissionregistration.v1.MatchCondition omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct admissionregistration.v1.ValidatingWebhookConfiguration gvk=admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 webhooks 2 []admissionregistration.v1.ValidatingWebhook omitempty proto=Webhooks patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct admissionregistration.v1.ValidatingWebhookConfigurationList gvk=admissionregistration.k8s.io/v1/ValidatingWebhookConfigurationList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []admissionregistration.v1.ValidatingWebhookConfiguration required
struct admissionregistration.v1.Validation
 expression 1 string required proto=Expression
 message 2 string omitempty
 reason 3 *meta.v1.StatusReason omitempty
 messageExpression 4 string omitempty
enum admissionregistration.v1.ValidationAction string ["Audit","Deny","Warn"]
struct admissionregistration.v1.Variable mapType=atomic
 name 1 string required proto=Name
 expression 2 string required proto=Expression
struct admissionregistration.v1.WebhookClientConfig
 url 3 *string omitempty
 service 1 *admissionregistration.v1.ServiceReference omitempty
 caBundle 2 bytes omitempty
struct apidiscovery.v2.APIGroupDiscovery gvk=apidiscovery.k8s.io/v2/APIGroupDiscovery
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 versions 2 []apidiscovery.v2.APIVersionDiscovery omitempty listType=map listMapKeys=version
struct apidiscovery.v2.APIGroupDiscoveryList gvk=apidiscovery.k8s.io/v2/APIGroupDiscoveryList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apidiscovery.v2.APIGroupDiscovery required
struct apidiscovery.v2.APIResourceDiscovery
 resource 1 string required
 responseKind 2 *meta.v1.GroupVersionKind omitempty
 scope 3 apidiscovery.v2.ResourceScope required
 singularResource 4 string required
 verbs 5 []string required listType=set
 shortNames 6 []string omitempty listType=set
 categories 7 []string omitempty listType=set
 subresources 8 []apidiscovery.v2.APISubresourceDiscovery omitempty listType=map listMapKeys=subresource
struct apidiscovery.v2.APISubresourceDiscovery
 subresource 1 string required
 responseKind 2 *meta.v1.GroupVersionKind omitempty
 acceptedTypes 3 []meta.v1.GroupVersionKind omitempty listType=map listMapKeys=group,version,kind
 verbs 4 []string required listType=set
struct apidiscovery.v2.APIVersionDiscovery
 version 1 string required
 resources 2 []apidiscovery.v2.APIResourceDiscovery omitempty listType=map listMapKeys=resource
 freshness 3 apidiscovery.v2.DiscoveryFreshness omitempty
scalar apidiscovery.v2.DiscoveryFreshness string ["Current","Stale"]
scalar apidiscovery.v2.ResourceScope string ["Cluster","Namespaced"]
struct apidiscovery.v2beta1.APIGroupDiscovery gvk=apidiscovery.k8s.io/v2beta1/APIGroupDiscovery
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 versions 2 []apidiscovery.v2beta1.APIVersionDiscovery omitempty listType=map listMapKeys=version
struct apidiscovery.v2beta1.APIGroupDiscoveryList gvk=apidiscovery.k8s.io/v2beta1/APIGroupDiscoveryList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apidiscovery.v2beta1.APIGroupDiscovery required
struct apidiscovery.v2beta1.APIResourceDiscovery
 resource 1 string required
 responseKind 2 *meta.v1.GroupVersionKind omitempty
 scope 3 apidiscovery.v2beta1.ResourceScope required
 singularResource 4 string required
 verbs 5 []string required listType=set
 shortNames 6 []string omitempty listType=set
 categories 7 []string omitempty listType=set
 subresources 8 []apidiscovery.v2beta1.APISubresourceDiscovery omitempty listType=map listMapKeys=subresource
struct apidiscovery.v2beta1.APISubresourceDiscovery
 subresource 1 string required
 responseKind 2 *meta.v1.GroupVersionKind omitempty
 acceptedTypes 3 []meta.v1.GroupVersionKind omitempty listType=map listMapKeys=group,version,kind
 verbs 4 []string required listType=set
struct apidiscovery.v2beta1.APIVersionDiscovery
 version 1 string required
 resources 2 []apidiscovery.v2beta1.APIResourceDiscovery omitempty listType=map listMapKeys=resource
 freshness 3 apidiscovery.v2beta1.DiscoveryFreshness omitempty
scalar apidiscovery.v2beta1.DiscoveryFreshness string ["Current","Stale"]
scalar apidiscovery.v2beta1.ResourceScope string ["Cluster","Namespaced"]
scalar apiextensions.v1.ConditionStatus string ["False","True","Unknown"]
struct apiextensions.v1.ConversionRequest
 uid 1 machinery.types.UID required
 desiredAPIVersion 2 string required
 objects 3 []machinery.runtime.RawExtension required listType=atomic
struct apiextensions.v1.ConversionResponse
 uid 1 machinery.types.UID required
 convertedObjects 2 []machinery.runtime.RawExtension required listType=atomic
 result 3 meta.v1.Status required
struct apiextensions.v1.ConversionReview gvk=apiextensions.k8s.io/v1/ConversionReview
 TypeMeta - meta.v1.TypeMeta inline
 request 1 *apiextensions.v1.ConversionRequest omitempty
 response 2 *apiextensions.v1.ConversionResponse omitempty
scalar apiextensions.v1.ConversionStrategyType string ["None","Webhook"]
struct apiextensions.v1.CustomResourceColumnDefinition
 name 1 string required
 type 2 string required
 format 3 string omitempty
 description 4 string omitempty
 priority 5 int32 omitempty
 jsonPath 6 string required
struct apiextensions.v1.CustomResourceConversion
 strategy 1 apiextensions.v1.ConversionStrategyType required
 webhook 2 *apiextensions.v1.WebhookConversion omitempty
struct apiextensions.v1.CustomResourceDefinition gvk=apiextensions.k8s.io/v1/CustomResourceDefinition
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apiextensions.v1.CustomResourceDefinitionSpec required
 status 3 apiextensions.v1.CustomResourceDefinitionStatus omitempty
struct apiextensions.v1.CustomResourceDefinitionCondition
 type 1 apiextensions.v1.CustomResourceDefinitionConditionType required
 status 2 apiextensions.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
 observedGeneration 6 int64 omitempty
scalar apiextensions.v1.CustomResourceDefinitionConditionType string ["Established","KubernetesAPIApprovalPolicyConformant","NamesAccepted","NonStructuralSchema","StorageMigrating","Terminating"]
struct apiextensions.v1.CustomResourceDefinitionList gvk=apiextensions.k8s.io/v1/CustomResourceDefinitionList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apiextensions.v1.CustomResourceDefinition required
struct apiextensions.v1.CustomResourceDefinitionNames
 plural 1 string required
 singular 2 string omitempty
 shortNames 3 []string omitempty listType=atomic
 kind 4 string required
 listKind 5 string omitempty
 categories 6 []string omitempty listType=atomic
struct apiextensions.v1.CustomResourceDefinitionSpec
 group 1 string required
 names 3 apiextensions.v1.CustomResourceDefinitionNames required
 scope 4 apiextensions.v1.ResourceScope required
 versions 7 []apiextensions.v1.CustomResourceDefinitionVersion required listType=atomic
 conversion 9 *apiextensions.v1.CustomResourceConversion omitempty defaulted={"strategy":"None"}
 preserveUnknownFields 10 bool omitempty
struct apiextensions.v1.CustomResourceDefinitionStatus
 conditions 1 []apiextensions.v1.CustomResourceDefinitionCondition listType=map listMapKeys=type
 acceptedNames 2 apiextensions.v1.CustomResourceDefinitionNames
 storedVersions 3 []string listType=atomic
 observedGeneration 4 int64 omitempty
struct apiextensions.v1.CustomResourceDefinitionVersion
 name 1 string required
 served 2 bool required
 storage 3 bool required
 deprecated 7 bool omitempty
 deprecationWarning 8 *string omitempty
 schema 4 *apiextensions.v1.CustomResourceValidation omitempty
 subresources 5 *apiextensions.v1.CustomResourceSubresources omitempty
 additionalPrinterColumns 6 []apiextensions.v1.CustomResourceColumnDefinition omitempty listType=atomic
 selectableFields 9 []apiextensions.v1.SelectableField omitempty listType=atomic
struct apiextensions.v1.CustomResourceSubresourceScale
 specReplicasPath 1 string required
 statusReplicasPath 2 string required
 labelSelectorPath 3 *string omitempty
struct apiextensions.v1.CustomResourceSubresourceStatus
struct apiextensions.v1.CustomResourceSubresources
 status 1 *apiextensions.v1.CustomResourceSubresourceStatus omitempty
 scale 2 *apiextensions.v1.CustomResourceSubresourceScale omitempty
struct apiextensions.v1.CustomResourceValidation
 openAPIV3Schema 1 *apiextensions.v1.JSONSchemaProps omitempty
struct apiextensions.v1.ExternalDocumentation
 description 1 string omitempty
 url 2 string omitempty
enum apiextensions.v1.FieldValueErrorReason string ["FieldValueDuplicate","FieldValueForbidden","FieldValueInvalid","FieldValueRequired"]
encoded apiextensions.v1.JSON json
 raw 1 bytes
alias apiextensions.v1.JSONSchemaDefinitions map[string]apiextensions.v1.JSONSchemaProps
alias apiextensions.v1.JSONSchemaDependencies map[string]apiextensions.v1.JSONSchemaPropsOrStringArray
struct apiextensions.v1.JSONSchemaProps
 id 1 string omitempty
 $schema 2 apiextensions.v1.JSONSchemaURL omitempty proto=schema
 $ref 3 *string omitempty proto=ref
 description 4 string omitempty
 type 5 string omitempty
 format 6 string omitempty
 title 7 string omitempty
 default 8 *apiextensions.v1.JSON omitempty
 maximum 9 *float64 omitempty
 exclusiveMaximum 10 bool omitempty
 minimum 11 *float64 omitempty
 exclusiveMinimum 12 bool omitempty
 maxLength 13 *int64 omitempty
 minLength 14 *int64 omitempty
 pattern 15 string omitempty
 maxItems 16 *int64 omitempty
 minItems 17 *int64 omitempty
 uniqueItems 18 bool omitempty
 multipleOf 19 *float64 omitempty
 enum 20 []apiextensions.v1.JSON omitempty listType=atomic
 maxProperties 21 *int64 omitempty
 minProperties 22 *int64 omitempty
 required 23 []string omitempty listType=atomic
 items 24 *apiextensions.v1.JSONSchemaPropsOrArray omitempty
 allOf 25 []apiextensions.v1.JSONSchemaProps omitempty listType=atomic
 oneOf 26 []apiextensions.v1.JSONSchemaProps omitempty listType=atomic
 anyOf 27 []apiextensions.v1.JSONSchemaProps omitempty listType=atomic
 not 28 *apiextensions.v1.JSONSchemaProps omitempty
 properties 29 map[string]apiextensions.v1.JSONSchemaProps omitempty
 additionalProperties 30 *apiextensions.v1.JSONSchemaPropsOrBool omitempty
 patternProperties 31 map[string]apiextensions.v1.JSONSchemaProps omitempty
 dependencies 32 map[string]apiextensions.v1.JSONSchemaPropsOrStringArray omitempty alias=apiextensions.v1.JSONSchemaDependencies
 additionalItems 33 *apiextensions.v1.JSONSchemaPropsOrBool omitempty
 definitions 34 map[string]apiextensions.v1.JSONSchemaProps omitempty alias=apiextensions.v1.JSONSchemaDefinitions
 externalDocs 35 *apiextensions.v1.ExternalDocumentation omitempty
 example 36 *apiextensions.v1.JSON omitempty
 nullable 37 bool omitempty
 x-kubernetes-preserve-unknown-fields 38 *bool omitempty proto=xKubernetesPreserveUnknownFields
 x-kubernetes-embedded-resource 39 bool omitempty proto=xKubernetesEmbeddedResource
 x-kubernetes-int-or-string 40 bool omitempty proto=xKubernetesIntOrString
 x-kubernetes-list-map-keys 41 []string omitempty proto=xKubernetesListMapKeys listType=atomic
 x-kubernetes-list-type 42 *string omitempty proto=xKubernetesListType
 x-kubernetes-map-type 43 *string omitempty proto=xKubernetesMapType
 x-kubernetes-validations 44 []apiextensions.v1.ValidationRule omitempty alias=apiextensions.v1.ValidationRules proto=xKubernetesValidations patchStrategy=merge patchMergeKey=rule listType=map listMapKeys=rule
encoded apiextensions.v1.JSONSchemaPropsOrArray schemaOrArray
 schema 1 apiextensions.v1.JSONSchemaProps
 jSONSchemas 2 []apiextensions.v1.JSONSchemaProps
encoded apiextensions.v1.JSONSchemaPropsOrBool schemaOrBool
 allows 1 bool
 schema 2 apiextensions.v1.JSONSchemaProps
encoded apiextensions.v1.JSONSchemaPropsOrStringArray schemaOrStringArray
 schema 1 apiextensions.v1.JSONSchemaProps
 property 2 []string
scalar apiextensions.v1.JSONSchemaURL string
scalar apiextensions.v1.ResourceScope string ["Cluster","Namespaced"]
struct apiextensions.v1.SelectableField
 jsonPath 1 string required
struct apiextensions.v1.ServiceReference
 namespace 1 string required
 name 2 string required
 path 3 *string omitempty
 port 4 *int32 omitempty defaulted=443
struct apiextensions.v1.ValidationRule
 rule 1 string required
 message 2 string omitempty
 messageExpression 3 string omitempty
 reason 4 *apiextensions.v1.FieldValueErrorReason omitempty
 fieldPath 5 string omitempty
 optionalOldSelf 6 *bool omitempty
alias apiextensions.v1.ValidationRules []apiextensions.v1.ValidationRule
struct apiextensions.v1.WebhookClientConfig
 url 3 *string omitempty
 service 1 *apiextensions.v1.ServiceReference omitempty
 caBundle 2 bytes omitempty
struct apiextensions.v1.WebhookConversion
 clientConfig 2 *apiextensions.v1.WebhookClientConfig omitempty
 conversionReviewVersions 3 []string required listType=atomic
struct apiregistration.v1.APIService gvk=apiregistration.k8s.io/v1/APIService
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apiregistration.v1.APIServiceSpec omitempty
 status 3 apiregistration.v1.APIServiceStatus omitempty
struct apiregistration.v1.APIServiceCondition
 type 1 apiregistration.v1.APIServiceConditionType required
 status 2 apiregistration.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar apiregistration.v1.APIServiceConditionType string ["Available"]
struct apiregistration.v1.APIServiceList gvk=apiregistration.k8s.io/v1/APIServiceList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apiregistration.v1.APIService required
struct apiregistration.v1.APIServiceSpec
 service 1 *apiregistration.v1.ServiceReference omitempty
 group 2 string omitempty
 version 3 string omitempty
 insecureSkipTLSVerify 4 bool omitempty
 caBundle 5 bytes omitempty listType=atomic
 groupPriorityMinimum 7 int32 required
 versionPriority 8 int32 required
struct apiregistration.v1.APIServiceStatus
 conditions 1 []apiregistration.v1.APIServiceCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
scalar apiregistration.v1.ConditionStatus string ["False","True","Unknown"]
struct apiregistration.v1.ServiceReference
 namespace 1 string omitempty
 name 2 string omitempty
 port 3 *int32 omitempty defaulted=443
struct apps.v1.ControllerRevision gvk=apps/v1/ControllerRevision
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 data 2 machinery.runtime.RawExtension omitempty
 revision 3 int64 required
struct apps.v1.ControllerRevisionList gvk=apps/v1/ControllerRevisionList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apps.v1.ControllerRevision required
struct apps.v1.DaemonSet gvk=apps/v1/DaemonSet
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apps.v1.DaemonSetSpec omitempty
 status 3 apps.v1.DaemonSetStatus omitempty
struct apps.v1.DaemonSetCondition
 type 1 apps.v1.DaemonSetConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar apps.v1.DaemonSetConditionType string
struct apps.v1.DaemonSetList gvk=apps/v1/DaemonSetList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apps.v1.DaemonSet required
struct apps.v1.DaemonSetSpec
 selector 1 *meta.v1.LabelSelector required
 template 2 core.v1.PodTemplateSpec required
 updateStrategy 3 apps.v1.DaemonSetUpdateStrategy omitempty
 minReadySeconds 4 int32 omitempty
 revisionHistoryLimit 6 *int32 omitempty defaulted=10
struct apps.v1.DaemonSetStatus
 currentNumberScheduled 1 int32 required
 numberMisscheduled 2 int32 required
 desiredNumberScheduled 3 int32 required
 numberReady 4 int32 required
 observedGeneration 5 int64 omitempty
 updatedNumberScheduled 6 int32 omitempty
 numberAvailable 7 int32 omitempty
 numberUnavailable 8 int32 omitempty
 collisionCount 9 *int32 omitempty
 conditions 10 []apps.v1.DaemonSetCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct apps.v1.DaemonSetUpdateStrategy
 type 1 apps.v1.DaemonSetUpdateStrategyType omitempty defaulted="RollingUpdate"
 rollingUpdate 2 *apps.v1.RollingUpdateDaemonSet omitempty
enum apps.v1.DaemonSetUpdateStrategyType string ["OnDelete","RollingUpdate"]
struct apps.v1.Deployment gvk=apps/v1/Deployment
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apps.v1.DeploymentSpec omitempty
 status 3 apps.v1.DeploymentStatus omitempty
struct apps.v1.DeploymentCondition
 type 1 apps.v1.DeploymentConditionType required
 status 2 core.v1.ConditionStatus required
 lastUpdateTime 6 meta.v1.Time omitempty
 lastTransitionTime 7 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar apps.v1.DeploymentConditionType string ["Available","Progressing","ReplicaFailure"]
struct apps.v1.DeploymentList gvk=apps/v1/DeploymentList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apps.v1.Deployment required
struct apps.v1.DeploymentSpec
 replicas 1 *int32 omitempty defaulted=1
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec required
 strategy 4 apps.v1.DeploymentStrategy omitempty patchStrategy=retainKeys
 minReadySeconds 5 int32 omitempty
 revisionHistoryLimit 6 *int32 omitempty defaulted=10
 paused 7 bool omitempty
 progressDeadlineSeconds 9 *int32 omitempty defaulted=600
struct apps.v1.DeploymentStatus
 observedGeneration 1 int64 omitempty
 replicas 2 int32 omitempty
 updatedReplicas 3 int32 omitempty
 readyReplicas 7 int32 omitempty
 availableReplicas 4 int32 omitempty
 unavailableReplicas 5 int32 omitempty
 terminatingReplicas 9 *int32 omitempty
 conditions 6 []apps.v1.DeploymentCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 collisionCount 8 *int32 omitempty
struct apps.v1.DeploymentStrategy
 type 1 apps.v1.DeploymentStrategyType omitempty defaulted="RollingUpdate"
 rollingUpdate 2 *apps.v1.RollingUpdateDeployment omitempty
enum apps.v1.DeploymentStrategyType string ["Recreate","RollingUpdate"]
scalar apps.v1.PersistentVolumeClaimRetentionPolicyType string ["Delete","Retain"]
enum apps.v1.PodManagementPolicyType string ["OrderedReady","Parallel"]
struct apps.v1.ReplicaSet gvk=apps/v1/ReplicaSet
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apps.v1.ReplicaSetSpec omitempty
 status 3 apps.v1.ReplicaSetStatus omitempty
struct apps.v1.ReplicaSetCondition
 type 1 apps.v1.ReplicaSetConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar apps.v1.ReplicaSetConditionType string ["ReplicaFailure"]
struct apps.v1.ReplicaSetList gvk=apps/v1/ReplicaSetList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apps.v1.ReplicaSet required
struct apps.v1.ReplicaSetSpec
 replicas 1 *int32 omitempty defaulted=1
 minReadySeconds 4 int32 omitempty
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec omitempty
struct apps.v1.ReplicaSetStatus
 replicas 1 int32 required
 fullyLabeledReplicas 2 int32 omitempty
 readyReplicas 4 int32 omitempty
 availableReplicas 5 int32 omitempty
 terminatingReplicas 7 *int32 omitempty
 observedGeneration 3 int64 omitempty
 conditions 6 []apps.v1.ReplicaSetCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct apps.v1.RollingUpdateDaemonSet
 maxUnavailable 1 *machinery.util.intstr.IntOrString omitempty
 maxSurge 2 *machinery.util.intstr.IntOrString omitempty
struct apps.v1.RollingUpdateDeployment
 maxUnavailable 1 *machinery.util.intstr.IntOrString omitempty
 maxSurge 2 *machinery.util.intstr.IntOrString omitempty
struct apps.v1.RollingUpdateStatefulSetStrategy
 partition 1 *int32 omitempty
 maxUnavailable 2 *machinery.util.intstr.IntOrString omitempty
struct apps.v1.StatefulSet gvk=apps/v1/StatefulSet
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 apps.v1.StatefulSetSpec omitempty
 status 3 apps.v1.StatefulSetStatus omitempty
struct apps.v1.StatefulSetCondition
 type 1 apps.v1.StatefulSetConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar apps.v1.StatefulSetConditionType string
struct apps.v1.StatefulSetList gvk=apps/v1/StatefulSetList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []apps.v1.StatefulSet required
struct apps.v1.StatefulSetOrdinals
 start 1 int32
struct apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 apps.v1.PersistentVolumeClaimRetentionPolicyType omitempty defaulted="Retain"
 whenScaled 2 apps.v1.PersistentVolumeClaimRetentionPolicyType omitempty defaulted="Retain"
struct apps.v1.StatefulSetSpec
 replicas 1 *int32 omitempty defaulted=1
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec required
 volumeClaimTemplates 4 []core.v1.PersistentVolumeClaim omitempty listType=atomic
 serviceName 5 string
 podManagementPolicy 6 apps.v1.PodManagementPolicyType omitempty defaulted="OrderedReady"
 updateStrategy 7 apps.v1.StatefulSetUpdateStrategy omitempty
 revisionHistoryLimit 8 *int32 omitempty defaulted=10
 minReadySeconds 9 int32 omitempty
 persistentVolumeClaimRetentionPolicy 10 *apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy omitempty defaulted={"whenDeleted":"Retain","whenScaled":"Retain"}
 ordinals 11 *apps.v1.StatefulSetOrdinals omitempty
struct apps.v1.StatefulSetStatus
 observedGeneration 1 int64 omitempty
 replicas 2 int32 required
 readyReplicas 3 int32 omitempty
 currentReplicas 4 int32 omitempty
 updatedReplicas 5 int32 omitempty
 currentRevision 6 string omitempty
 updateRevision 7 string omitempty
 collisionCount 9 *int32 omitempty
 conditions 10 []apps.v1.StatefulSetCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 availableReplicas 11 int32
struct apps.v1.StatefulSetUpdateStrategy
 type 1 apps.v1.StatefulSetUpdateStrategyType omitempty defaulted="RollingUpdate"
 rollingUpdate 2 *apps.v1.RollingUpdateStatefulSetStrategy omitempty
enum apps.v1.StatefulSetUpdateStrategyType string ["OnDelete","RollingUpdate"]
struct authentication.v1.BoundObjectReference
 kind 1 string omitempty
 apiVersion 2 string omitempty
 name 3 string omitempty
 uid 4 machinery.types.UID omitempty proto=uID
encoded authentication.v1.ExtraValue items
 items 1 []string
struct authentication.v1.SelfSubjectReview gvk=authentication.k8s.io/v1/SelfSubjectReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 status 2 authentication.v1.SelfSubjectReviewStatus omitempty
struct authentication.v1.SelfSubjectReviewStatus
 userInfo 1 authentication.v1.UserInfo omitempty
struct authentication.v1.TokenRequest gvk=authentication.k8s.io/v1/TokenRequest
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authentication.v1.TokenRequestSpec
 status 3 authentication.v1.TokenRequestStatus omitempty
struct authentication.v1.TokenRequestSpec
 audiences 1 []string listType=atomic
 expirationSeconds 4 *int64 defaulted=3600
 boundObjectRef 3 *authentication.v1.BoundObjectReference
struct authentication.v1.TokenRequestStatus
 token 1 string
 expirationTimestamp 2 meta.v1.Time
struct authentication.v1.TokenReview gvk=authentication.k8s.io/v1/TokenReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authentication.v1.TokenReviewSpec required
 status 3 authentication.v1.TokenReviewStatus omitempty
struct authentication.v1.TokenReviewSpec
 token 1 string required omitempty
 audiences 2 []string omitempty listType=atomic
struct authentication.v1.TokenReviewStatus
 authenticated 1 bool omitempty
 user 2 authentication.v1.UserInfo omitempty
 audiences 4 []string omitempty listType=atomic
 error 3 string omitempty
struct authentication.v1.UserInfo
 username 1 string omitempty
 uid 2 string omitempty
 groups 3 []string omitempty listType=atomic
 extra 4 map[string]authentication.v1.ExtraValue omitempty
encoded authorization.v1.ExtraValue items
 items 1 []string
struct authorization.v1.FieldSelectorAttributes
 rawSelector 1 string omitempty
 requirements 2 []meta.v1.FieldSelectorRequirement omitempty listType=atomic
struct authorization.v1.LabelSelectorAttributes
 rawSelector 1 string omitempty
 requirements 2 []meta.v1.LabelSelectorRequirement omitempty listType=atomic
struct authorization.v1.LocalSubjectAccessReview gvk=authorization.k8s.io/v1/LocalSubjectAccessReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authorization.v1.SubjectAccessReviewSpec required
 status 3 authorization.v1.SubjectAccessReviewStatus omitempty
struct authorization.v1.NonResourceAttributes
 path 1 string omitempty
 verb 2 string omitempty
struct authorization.v1.NonResourceRule
 verbs 1 []string required listType=atomic
 nonResourceURLs 2 []string omitempty listType=atomic
struct authorization.v1.ResourceAttributes
 namespace 1 string omitempty
 verb 2 string omitempty
 group 3 string omitempty
 version 4 string omitempty
 resource 5 string omitempty
 subresource 6 string omitempty
 name 7 string omitempty
 fieldSelector 8 *authorization.v1.FieldSelectorAttributes omitempty
 labelSelector 9 *authorization.v1.LabelSelectorAttributes omitempty
struct authorization.v1.ResourceRule
 verbs 1 []string required listType=atomic
 apiGroups 2 []string omitempty listType=atomic
 resources 3 []string omitempty listType=atomic
 resourceNames 4 []string omitempty listType=atomic
struct authorization.v1.SelfSubjectAccessReview gvk=authorization.k8s.io/v1/SelfSubjectAccessReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authorization.v1.SelfSubjectAccessReviewSpec required
 status 3 authorization.v1.SubjectAccessReviewStatus omitempty
struct authorization.v1.SelfSubjectAccessReviewSpec
 resourceAttributes 1 *authorization.v1.ResourceAttributes omitempty
 nonResourceAttributes 2 *authorization.v1.NonResourceAttributes omitempty
struct authorization.v1.SelfSubjectRulesReview gvk=authorization.k8s.io/v1/SelfSubjectRulesReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authorization.v1.SelfSubjectRulesReviewSpec required
 status 3 authorization.v1.SubjectRulesReviewStatus omitempty
struct authorization.v1.SelfSubjectRulesReviewSpec
 namespace 1 string omitempty
struct authorization.v1.SubjectAccessReview gvk=authorization.k8s.io/v1/SubjectAccessReview
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 authorization.v1.SubjectAccessReviewSpec required
 status 3 authorization.v1.SubjectAccessReviewStatus omitempty
struct authorization.v1.SubjectAccessReviewSpec
 resourceAttributes 1 *authorization.v1.ResourceAttributes omitempty
 nonResourceAttributes 2 *authorization.v1.NonResourceAttributes omitempty
 user 3 string omitempty
 groups 4 []string omitempty listType=atomic
 extra 5 map[string]authorization.v1.ExtraValue omitempty
 uid 6 string omitempty
struct authorization.v1.SubjectAccessReviewStatus
 allowed 1 bool required
 denied 4 bool omitempty
 reason 2 string omitempty
 evaluationError 3 string omitempty
struct authorization.v1.SubjectRulesReviewStatus
 resourceRules 1 []authorization.v1.ResourceRule required listType=atomic
 nonResourceRules 2 []authorization.v1.NonResourceRule required listType=atomic
 incomplete 3 bool required
 evaluationError 4 string omitempty
struct autoscaling.v1.ContainerResourceMetricSource
 name 1 core.v1.ResourceName required
 targetAverageUtilization 2 *int32 omitempty
 targetAverageValue 3 *machinery.api.resource.Quantity omitempty
 container 5 string required
struct autoscaling.v1.ContainerResourceMetricStatus
 name 1 core.v1.ResourceName required
 currentAverageUtilization 2 *int32 omitempty
 currentAverageValue 3 machinery.api.resource.Quantity required
 container 4 string required
struct autoscaling.v1.CrossVersionObjectReference mapType=atomic
 kind 1 string required
 name 2 string required
 apiVersion 3 string omitempty
struct autoscaling.v1.ExternalMetricSource
 metricName 1 string required
 metricSelector 2 *meta.v1.LabelSelector omitempty
 targetValue 3 *machinery.api.resource.Quantity omitempty
 targetAverageValue 4 *machinery.api.resource.Quantity omitempty
struct autoscaling.v1.ExternalMetricStatus
 metricName 1 string required
 metricSelector 2 *meta.v1.LabelSelector omitempty
 currentValue 3 machinery.api.resource.Quantity required
 currentAverageValue 4 *machinery.api.resource.Quantity omitempty
struct autoscaling.v1.HorizontalPodAutoscaler gvk=autoscaling/v1/HorizontalPodAutoscaler
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 autoscaling.v1.HorizontalPodAutoscalerSpec required omitempty
 status 3 autoscaling.v1.HorizontalPodAutoscalerStatus omitempty
struct autoscaling.v1.HorizontalPodAutoscalerCondition
 type 1 autoscaling.v1.HorizontalPodAutoscalerConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar autoscaling.v1.HorizontalPodAutoscalerConditionType string ["AbleToScale","ScaledToZero","ScalingActive","ScalingLimited"]
struct autoscaling.v1.HorizontalPodAutoscalerList gvk=autoscaling/v1/HorizontalPodAutoscalerList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []autoscaling.v1.HorizontalPodAutoscaler required
struct autoscaling.v1.HorizontalPodAutoscalerSpec
 scaleTargetRef 1 autoscaling.v1.CrossVersionObjectReference required
 minReplicas 2 *int32 omitempty defaulted=1
 maxReplicas 3 int32 required
 targetCPUUtilizationPercentage 4 *int32 omitempty
struct autoscaling.v1.HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64 omitempty
 lastScaleTime 2 *meta.v1.Time omitempty
 currentReplicas 3 int32 required
 desiredReplicas 4 int32 required
 currentCPUUtilizationPercentage 5 *int32 omitempty
enum autoscaling.v1.MetricSourceType string ["ContainerResource","External","Object","Pods","Resource"]
struct autoscaling.v1.MetricSpec
 type 1 autoscaling.v1.MetricSourceType required
 object 2 *autoscaling.v1.ObjectMetricSource omitempty
 pods 3 *autoscaling.v1.PodsMetricSource omitempty
 resource 4 *autoscaling.v1.ResourceMetricSource omitempty
 containerResource 7 *autoscaling.v1.ContainerResourceMetricSource omitempty
 external 5 *autoscaling.v1.ExternalMetricSource omitempty
struct autoscaling.v1.MetricStatus
 type 1 autoscaling.v1.MetricSourceType required
 object 2 *autoscaling.v1.ObjectMetricStatus omitempty
 pods 3 *autoscaling.v1.PodsMetricStatus omitempty
 resource 4 *autoscaling.v1.ResourceMetricStatus omitempty
 containerResource 7 *autoscaling.v1.ContainerResourceMetricStatus omitempty
 external 5 *autoscaling.v1.ExternalMetricStatus omitempty
struct autoscaling.v1.ObjectMetricSource
 target 1 autoscaling.v1.CrossVersionObjectReference required
 metricName 2 string required
 targetValue 3 machinery.api.resource.Quantity required
 selector 4 *meta.v1.LabelSelector omitempty
 averageValue 5 *machinery.api.resource.Quantity omitempty
struct autoscaling.v1.ObjectMetricStatus
 target 1 autoscaling.v1.CrossVersionObjectReference required
 metricName 2 string required
 currentValue 3 machinery.api.resource.Quantity required
 selector 4 *meta.v1.LabelSelector omitempty
 averageValue 5 *machinery.api.resource.Quantity omitempty
struct autoscaling.v1.PodsMetricSource
 metricName 1 string required
 targetAverageValue 2 machinery.api.resource.Quantity required
 selector 3 *meta.v1.LabelSelector omitempty
struct autoscaling.v1.PodsMetricStatus
 metricName 1 string required
 currentAverageValue 2 machinery.api.resource.Quantity required
 selector 3 *meta.v1.LabelSelector omitempty
struct autoscaling.v1.ResourceMetricSource
 name 1 core.v1.ResourceName required
 targetAverageUtilization 2 *int32 omitempty
 targetAverageValue 3 *machinery.api.resource.Quantity omitempty
struct autoscaling.v1.ResourceMetricStatus
 name 1 core.v1.ResourceName required
 currentAverageUtilization 2 *int32 omitempty
 currentAverageValue 3 machinery.api.resource.Quantity required
struct autoscaling.v1.Scale gvk=autoscaling/v1/Scale
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 autoscaling.v1.ScaleSpec omitempty
 status 3 autoscaling.v1.ScaleStatus omitempty
struct autoscaling.v1.ScaleSpec
 replicas 1 int32 omitempty
struct autoscaling.v1.ScaleStatus
 replicas 1 int32 required
 selector 2 string omitempty
struct autoscaling.v2.ContainerResourceMetricSource
 name 1 core.v1.ResourceName required
 target 2 autoscaling.v2.MetricTarget required
 container 3 string required
struct autoscaling.v2.ContainerResourceMetricStatus
 name 1 core.v1.ResourceName required
 current 2 autoscaling.v2.MetricValueStatus required
 container 3 string required
struct autoscaling.v2.CrossVersionObjectReference
 kind 1 string required
 name 2 string required
 apiVersion 3 string omitempty
struct autoscaling.v2.ExternalMetricSource
 metric 1 autoscaling.v2.MetricIdentifier required
 target 2 autoscaling.v2.MetricTarget required
struct autoscaling.v2.ExternalMetricStatus
 metric 1 autoscaling.v2.MetricIdentifier required
 current 2 autoscaling.v2.MetricValueStatus required
struct autoscaling.v2.HPAScalingPolicy
 type 1 autoscaling.v2.HPAScalingPolicyType required
 value 2 int32 required
 periodSeconds 3 int32 required
scalar autoscaling.v2.HPAScalingPolicyType string ["Percent","Pods"]
struct autoscaling.v2.HPAScalingRules
 stabilizationWindowSeconds 3 *int32 omitempty
 selectPolicy 1 *autoscaling.v2.ScalingPolicySelect omitempty defaulted="Max"
 policies 2 []autoscaling.v2.HPAScalingPolicy omitempty listType=atomic
 tolerance 4 *machinery.api.resource.Quantity omitempty
struct autoscaling.v2.HorizontalPodAutoscaler gvk=autoscaling/v2/HorizontalPodAutoscaler
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 autoscaling.v2.HorizontalPodAutoscalerSpec required omitempty
 status 3 autoscaling.v2.HorizontalPodAutoscalerStatus omitempty
struct autoscaling.v2.HorizontalPodAutoscalerBehavior
 scaleUp 1 *autoscaling.v2.HPAScalingRules omitempty
 scaleDown 2 *autoscaling.v2.HPAScalingRules omitempty
struct autoscaling.v2.HorizontalPodAutoscalerCondition
 type 1 autoscaling.v2.HorizontalPodAutoscalerConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar autoscaling.v2.HorizontalPodAutoscalerConditionType string ["AbleToScale","ScaledToZero","ScalingActive","ScalingLimited"]
struct autoscaling.v2.HorizontalPodAutoscalerList gvk=autoscaling/v2/HorizontalPodAutoscalerList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []autoscaling.v2.HorizontalPodAutoscaler required
struct autoscaling.v2.HorizontalPodAutoscalerSpec
 scaleTargetRef 1 autoscaling.v2.CrossVersionObjectReference required
 minReplicas 2 *int32 omitempty defaulted=1
 maxReplicas 3 int32 required
 metrics 4 []autoscaling.v2.MetricSpec omitempty listType=atomic defaulted=[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]
 behavior 5 *autoscaling.v2.HorizontalPodAutoscalerBehavior omitempty
struct autoscaling.v2.HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64 omitempty
 lastScaleTime 2 *meta.v1.Time omitempty
 currentReplicas 3 int32 omitempty
 desiredReplicas 4 int32 required
 currentMetrics 5 []autoscaling.v2.MetricStatus listType=atomic
 conditions 6 []autoscaling.v2.HorizontalPodAutoscalerCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct autoscaling.v2.MetricIdentifier
 name 1 string required
 selector 2 *meta.v1.LabelSelector omitempty
scalar autoscaling.v2.MetricSourceType string ["ContainerResource","External","Object","Pods","Resource"]
struct autoscaling.v2.MetricSpec
 type 1 autoscaling.v2.MetricSourceType required
 object 2 *autoscaling.v2.ObjectMetricSource omitempty
 pods 3 *autoscaling.v2.PodsMetricSource omitempty
 resource 4 *autoscaling.v2.ResourceMetricSource omitempty
 containerResource 7 *autoscaling.v2.ContainerResourceMetricSource omitempty
 external 5 *autoscaling.v2.ExternalMetricSource omitempty
struct autoscaling.v2.MetricStatus
 type 1 autoscaling.v2.MetricSourceType required
 object 2 *autoscaling.v2.ObjectMetricStatus omitempty
 pods 3 *autoscaling.v2.PodsMetricStatus omitempty
 resource 4 *autoscaling.v2.ResourceMetricStatus omitempty
 containerResource 7 *autoscaling.v2.ContainerResourceMetricStatus omitempty
 external 5 *autoscaling.v2.ExternalMetricStatus omitempty
struct autoscaling.v2.MetricTarget
 type 1 autoscaling.v2.MetricTargetType required
 value 2 *machinery.api.resource.Quantity omitempty
 averageValue 3 *machinery.api.resource.Quantity omitempty
 averageUtilization 4 *int32 omitempty
scalar autoscaling.v2.MetricTargetType string ["AverageValue","Utilization","Value"]
struct autoscaling.v2.MetricValueStatus
 value 1 *machinery.api.resource.Quantity omitempty
 averageValue 2 *machinery.api.resource.Quantity omitempty
 averageUtilization 3 *int32 omitempty
struct autoscaling.v2.ObjectMetricSource
 describedObject 1 autoscaling.v2.CrossVersionObjectReference required
 target 2 autoscaling.v2.MetricTarget required
 metric 3 autoscaling.v2.MetricIdentifier required
struct autoscaling.v2.ObjectMetricStatus
 metric 1 autoscaling.v2.MetricIdentifier required
 current 2 autoscaling.v2.MetricValueStatus required
 describedObject 3 autoscaling.v2.CrossVersionObjectReference required
struct autoscaling.v2.PodsMetricSource
 metric 1 autoscaling.v2.MetricIdentifier required
 target 2 autoscaling.v2.MetricTarget required
struct autoscaling.v2.PodsMetricStatus
 metric 1 autoscaling.v2.MetricIdentifier required
 current 2 autoscaling.v2.MetricValueStatus required
struct autoscaling.v2.ResourceMetricSource
 name 1 core.v1.ResourceName required
 target 2 autoscaling.v2.MetricTarget required
struct autoscaling.v2.ResourceMetricStatus
 name 1 core.v1.ResourceName required
 current 2 autoscaling.v2.MetricValueStatus required
scalar autoscaling.v2.ScalingPolicySelect string ["Disabled","Max","Min"]
enum batch.v1.CompletionMode string ["Indexed","NonIndexed"]
enum batch.v1.ConcurrencyPolicy string ["Allow","Forbid","Replace"]
struct batch.v1.CronJob gvk=batch/v1/CronJob
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 batch.v1.CronJobSpec required omitempty
 status 3 batch.v1.CronJobStatus omitempty
struct batch.v1.CronJobList gvk=batch/v1/CronJobList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []batch.v1.CronJob required
struct batch.v1.CronJobSpec
 schedule 1 string required
 timeZone 8 *string omitempty
 startingDeadlineSeconds 2 *int64 omitempty
 concurrencyPolicy 3 batch.v1.ConcurrencyPolicy omitempty defaulted="Allow"
 suspend 4 *bool omitempty defaulted=false
 jobTemplate 5 batch.v1.JobTemplateSpec required
 successfulJobsHistoryLimit 6 *int32 omitempty defaulted=3
 failedJobsHistoryLimit 7 *int32 omitempty defaulted=1
struct batch.v1.CronJobStatus
 active 1 []core.v1.ObjectReference omitempty listType=atomic
 lastScheduleTime 4 *meta.v1.Time omitempty
 lastSuccessfulTime 5 *meta.v1.Time omitempty
struct batch.v1.Job gvk=batch/v1/Job
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 batch.v1.JobSpec omitempty
 status 3 batch.v1.JobStatus omitempty
struct batch.v1.JobCondition
 type 1 batch.v1.JobConditionType required
 status 2 core.v1.ConditionStatus required
 lastProbeTime 3 meta.v1.Time omitempty
 lastTransitionTime 4 meta.v1.Time omitempty
 reason 5 string omitempty
 message 6 string omitempty
scalar batch.v1.JobConditionType string ["Complete","Failed","FailureTarget","SuccessCriteriaMet","Suspended"]
struct batch.v1.JobList gvk=batch/v1/JobList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []batch.v1.Job required
struct batch.v1.JobSpec
 parallelism 1 *int32 omitempty
 completions 2 *int32 omitempty
 activeDeadlineSeconds 3 *int64 omitempty
 podFailurePolicy 11 *batch.v1.PodFailurePolicy omitempty
 successPolicy 16 *batch.v1.SuccessPolicy omitempty
 backoffLimit 7 *int32 omitempty
 backoffLimitPerIndex 12 *int32 omitempty
 maxFailedIndexes 13 *int32 omitempty
 selector 4 *meta.v1.LabelSelector omitempty
 manualSelector 5 *bool omitempty
 template 6 core.v1.PodTemplateSpec required
 ttlSecondsAfterFinished 8 *int32 omitempty
 completionMode 9 *batch.v1.CompletionMode omitempty
 suspend 10 *bool omitempty
 podReplacementPolicy 14 *batch.v1.PodReplacementPolicy omitempty
 managedBy 15 *string omitempty
struct batch.v1.JobStatus
 conditions 1 []batch.v1.JobCondition omitempty patchStrategy=merge patchMergeKey=type listType=atomic
 startTime 2 *meta.v1.Time omitempty
 completionTime 3 *meta.v1.Time omitempty
 active 4 int32 omitempty
 succeeded 5 int32 omitempty
 failed 6 int32 omitempty
 terminating 11 *int32 omitempty
 completedIndexes 7 string omitempty
 failedIndexes 10 *string omitempty
 uncountedTerminatedPods 8 *batch.v1.UncountedTerminatedPods omitempty
 ready 9 *int32 omitempty
struct batch.v1.JobTemplateSpec
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 batch.v1.JobSpec omitempty
struct batch.v1.PodFailurePolicy
 rules 1 []batch.v1.PodFailurePolicyRule required listType=atomic
enum batch.v1.PodFailurePolicyAction string ["Count","FailIndex","FailJob","Ignore"]
enum batch.v1.PodFailurePolicyOnExitCodesOperator string ["In","NotIn"]
struct batch.v1.PodFailurePolicyOnExitCodesRequirement
 containerName 1 *string omitempty
 operator 2 batch.v1.PodFailurePolicyOnExitCodesOperator required
 values 3 []int32 required listType=set
struct batch.v1.PodFailurePolicyOnPodConditionsPattern
 type 1 core.v1.PodConditionType required
 status 2 core.v1.ConditionStatus defaulted="True"
struct batch.v1.PodFailurePolicyRule
 action 1 batch.v1.PodFailurePolicyAction required
 onExitCodes 2 *batch.v1.PodFailurePolicyOnExitCodesRequirement omitempty
 onPodConditions 3 []batch.v1.PodFailurePolicyOnPodConditionsPattern omitempty listType=atomic
enum batch.v1.PodReplacementPolicy string ["Failed","TerminatingOrFailed"]
struct batch.v1.SuccessPolicy
 rules 1 []batch.v1.SuccessPolicyRule required listType=atomic
struct batch.v1.SuccessPolicyRule
 succeededIndexes 1 *string omitempty
 succeededCount 2 *int32 omitempty
struct batch.v1.UncountedTerminatedPods
 succeeded 1 []machinery.types.UID omitempty listType=set
 failed 2 []machinery.types.UID omitempty listType=set
struct certificates.v1.CertificateSigningRequest gvk=certificates.k8s.io/v1/CertificateSigningRequest
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 certificates.v1.CertificateSigningRequestSpec required
 status 3 certificates.v1.CertificateSigningRequestStatus omitempty
struct certificates.v1.CertificateSigningRequestCondition
 type 1 certificates.v1.RequestConditionType required
 status 6 core.v1.ConditionStatus required
 reason 2 string omitempty
 message 3 string omitempty
 lastUpdateTime 4 meta.v1.Time omitempty
 lastTransitionTime 5 meta.v1.Time omitempty
struct certificates.v1.CertificateSigningRequestList gvk=certificates.k8s.io/v1/CertificateSigningRequestList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []certificates.v1.CertificateSigningRequest required
struct certificates.v1.CertificateSigningRequestSpec
 request 1 bytes required
 signerName 7 string required
 expirationSeconds 8 *int32 omitempty
 usages 5 []certificates.v1.KeyUsage omitempty listType=atomic
 username 2 string omitempty
 uid 3 string omitempty
 groups 4 []string omitempty listType=atomic
 extra 6 map[string]certificates.v1.ExtraValue omitempty
struct certificates.v1.CertificateSigningRequestStatus
 conditions 1 []certificates.v1.CertificateSigningRequestCondition omitempty listType=map listMapKeys=type
 certificate 2 bytes omitempty
encoded certificates.v1.ExtraValue items
 items 1 []string
enum certificates.v1.KeyUsage string ["any","cert sign","client auth","code signing","content commitment","crl sign","data encipherment","decipher only","digital signature","email protection","encipher only","ipsec end system","ipsec tunnel","ipsec user","key agreement","key encipherment","microsoft sgc","netscape sgc","ocsp signing","s/mime","server auth","signing","timestamping"]
scalar certificates.v1.RequestConditionType string ["Approved","Denied","Failed"]
scalar coordination.v1.CoordinatedLeaseStrategy string ["OldestEmulationVersion"]
struct coordination.v1.Lease gvk=coordination.k8s.io/v1/Lease
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 coordination.v1.LeaseSpec omitempty
struct coordination.v1.LeaseList gvk=coordination.k8s.io/v1/LeaseList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []coordination.v1.Lease required
struct coordination.v1.LeaseSpec
 holderIdentity 1 *string omitempty
 leaseDurationSeconds 2 *int32 omitempty
 acquireTime 3 *meta.v1.MicroTime omitempty
 renewTime 4 *meta.v1.MicroTime omitempty
 leaseTransitions 5 *int32 omitempty
 strategy 6 *coordination.v1.CoordinatedLeaseStrategy omitempty
 preferredHolder 7 *string omitempty
struct core.v1.AWSElasticBlockStoreVolumeSource
 volumeID 1 string required
 fsType 2 string omitempty
 partition 3 int32 omitempty
 readOnly 4 bool omitempty
struct core.v1.Affinity
 nodeAffinity 1 *core.v1.NodeAffinity omitempty
 podAffinity 2 *core.v1.PodAffinity omitempty
 podAntiAffinity 3 *core.v1.PodAntiAffinity omitempty
struct core.v1.AppArmorProfile unions=[{"discriminator":"type","fields":{"localhostProfile":"LocalhostProfile"}}]
 type 1 core.v1.AppArmorProfileType required
 localhostProfile 2 *string omitempty
enum core.v1.AppArmorProfileType string ["Localhost","RuntimeDefault","Unconfined"]
struct core.v1.AttachedVolume
 name 1 core.v1.UniqueVolumeName required
 devicePath 2 string required
struct core.v1.AvoidPods
 preferAvoidPods 1 []core.v1.PreferAvoidPodsEntry omitempty listType=atomic
enum core.v1.AzureDataDiskCachingMode string ["None","ReadOnly","ReadWrite"]
enum core.v1.AzureDataDiskKind string ["Dedicated","Managed","Shared"]
struct core.v1.AzureDiskVolumeSource
 diskName 1 string required
 diskURI 2 string required
 cachingMode 3 *core.v1.AzureDataDiskCachingMode omitempty default="ReadWrite" defaulted="ReadWrite"
 fsType 4 *string omitempty default="ext4" defaulted="ext4"
 readOnly 5 *bool omitempty default=false defaulted=false
 kind 6 *core.v1.AzureDataDiskKind omitempty default="Shared" defaulted="Shared"
struct core.v1.AzureFilePersistentVolumeSource
 secretName 1 string required
 shareName 2 string required
 readOnly 3 bool omitempty
 secretNamespace 4 *string
struct core.v1.AzureFileVolumeSource
 secretName 1 string required
 shareName 2 string required
 readOnly 3 bool omitempty
struct core.v1.Binding gvk=/v1/Binding
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 target 2 core.v1.ObjectReference required
struct core.v1.CSIPersistentVolumeSource
 driver 1 string required
 volumeHandle 2 string required
 readOnly 3 bool omitempty
 fsType 4 string omitempty
 volumeAttributes 5 map[string]string omitempty
 controllerPublishSecretRef 6 *core.v1.SecretReference omitempty
 nodeStageSecretRef 7 *core.v1.SecretReference omitempty
 nodePublishSecretRef 8 *core.v1.SecretReference omitempty
 controllerExpandSecretRef 9 *core.v1.SecretReference omitempty
 nodeExpandSecretRef 10 *core.v1.SecretReference omitempty
struct core.v1.CSIVolumeSource
 driver 1 string required
 readOnly 2 *bool omitempty
 fsType 3 *string omitempty
 volumeAttributes 4 map[string]string omitempty
 nodePublishSecretRef 5 *core.v1.LocalObjectReference omitempty
struct core.v1.Capabilities
 add 1 []core.v1.Capability omitempty listType=atomic
 drop 2 []core.v1.Capability omitempty listType=atomic
scalar core.v1.Capability string
struct core.v1.CephFSPersistentVolumeSource
 monitors 1 []string required listType=atomic
 path 2 string omitempty
 user 3 string omitempty
 secretFile 4 string omitempty
 secretRef 5 *core.v1.SecretReference omitempty
 readOnly 6 bool omitempty
struct core.v1.CephFSVolumeSource
 monitors 1 []string required listType=atomic
 path 2 string omitempty
 user 3 string omitempty
 secretFile 4 string omitempty
 secretRef 5 *core.v1.LocalObjectReference omitempty
 readOnly 6 bool omitempty
struct core.v1.CinderPersistentVolumeSource
 volumeID 1 string required
 fsType 2 string omitempty
 readOnly 3 bool omitempty
 secretRef 4 *core.v1.SecretReference omitempty
struct core.v1.CinderVolumeSource
 volumeID 1 string required
 fsType 2 string omitempty
 readOnly 3 bool omitempty
 secretRef 4 *core.v1.LocalObjectReference omitempty
scalar core.v1.ClaimResourceStatus string ["ControllerResizeInProgress","ControllerResizeInfeasible","NodeResizeInProgress","NodeResizeInfeasible","NodeResizePending"]
struct core.v1.ClientIPConfig
 timeoutSeconds 1 *int32 omitempty
struct core.v1.ClusterTrustBundleProjection
 name 1 *string omitempty
 signerName 2 *string omitempty
 labelSelector 3 *meta.v1.LabelSelector omitempty
 optional 5 *bool omitempty
 path 4 string required
struct core.v1.ComponentCondition
 type 1 core.v1.ComponentConditionType required
 status 2 core.v1.ConditionStatus required
 message 3 string omitempty
 error 4 string omitempty
scalar core.v1.ComponentConditionType string ["Healthy"]
struct core.v1.ComponentStatus gvk=/v1/ComponentStatus
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 conditions 2 []core.v1.ComponentCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct core.v1.ComponentStatusList gvk=/v1/ComponentStatusList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.ComponentStatus required
scalar core.v1.ConditionStatus string ["False","True","Unknown"]
struct core.v1.ConfigMap gvk=/v1/ConfigMap
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 immutable 4 *bool omitempty
 data 2 map[string]string omitempty defaulted={}
 binaryData 3 map[string]bytes omitempty
struct core.v1.ConfigMapEnvSource
 localObjectReference 1 core.v1.LocalObjectReference inline
 optional 2 *bool omitempty
struct core.v1.ConfigMapKeySelector mapType=atomic
 localObjectReference 1 core.v1.LocalObjectReference inline
 key 2 string required
 optional 3 *bool omitempty
struct core.v1.ConfigMapList gvk=/v1/ConfigMapList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.ConfigMap required
struct core.v1.ConfigMapNodeConfigSource
 namespace 1 string required
 name 2 string required
 uid 3 machinery.types.UID omitempty
 resourceVersion 4 string omitempty
 kubeletConfigKey 5 string required
struct core.v1.ConfigMapProjection
 localObjectReference 1 core.v1.LocalObjectReference inline
 items 2 []core.v1.KeyToPath omitempty listType=atomic
 optional 4 *bool omitempty
struct core.v1.ConfigMapVolumeSource
 localObjectReference 1 core.v1.LocalObjectReference inline
 items 2 []core.v1.KeyToPath omitempty listType=atomic
 defaultMode 3 *int32 omitempty defaulted=420
 optional 4 *bool omitempty
struct core.v1.Container
 name 1 string required
 image 2 string omitempty
 command 3 []string omitempty listType=atomic
 args 4 []string omitempty listType=atomic
 workingDir 5 string omitempty
 ports 6 []core.v1.ContainerPort omitempty patchStrategy=merge patchMergeKey=containerPort listType=map listMapKeys=containerPort,protocol
 envFrom 19 []core.v1.EnvFromSource omitempty listType=atomic
 env 7 []core.v1.EnvVar omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 resources 8 core.v1.ResourceRequirements omitempty
 resizePolicy 23 []core.v1.ContainerResizePolicy omitempty listType=atomic
 restartPolicy 24 *core.v1.ContainerRestartPolicy omitempty
 restartPolicyRules 25 []core.v1.ContainerRestartRule omitempty listType=atomic
 volumeMounts 9 []core.v1.VolumeMount omitempty patchStrategy=merge patchMergeKey=mountPath listType=map listMapKeys=mountPath
 volumeDevices 21 []core.v1.VolumeDevice omitempty patchStrategy=merge patchMergeKey=devicePath listType=map listMapKeys=devicePath
 livenessProbe 10 *core.v1.Probe omitempty
 readinessProbe 11 *core.v1.Probe omitempty
 startupProbe 22 *core.v1.Probe omitempty
 lifecycle 12 *core.v1.Lifecycle omitempty
 terminationMessagePath 13 string omitempty defaulted="/dev/termination-log"
 terminationMessagePolicy 20 core.v1.TerminationMessagePolicy omitempty defaulted="File"
 imagePullPolicy 14 core.v1.PullPolicy omitempty
 securityContext 15 *core.v1.SecurityContext omitempty
 stdin 16 bool omitempty
 stdinOnce 17 bool omitempty
 tty 18 bool omitempty
struct core.v1.ContainerExtendedResourceRequest
 containerName 1 string required
 resourceName 2 string required
 requestName 3 string required
struct core.v1.ContainerImage
 names 1 []string listType=atomic
 sizeBytes 2 int64 omitempty
struct core.v1.ContainerPort
 name 1 string omitempty
 hostPort 2 int32 omitempty
 containerPort 3 int32 required
 protocol 4 core.v1.Protocol omitempty default="TCP" defaulted="TCP"
 hostIP 5 string omitempty
struct core.v1.ContainerResizePolicy
 resourceName 1 core.v1.ResourceName required
 restartPolicy 2 core.v1.ResourceResizeRestartPolicy required
scalar core.v1.ContainerRestartPolicy string ["Always","Never","OnFailure"]
struct core.v1.ContainerRestartRule
 action 1 core.v1.ContainerRestartRuleAction required omitempty
 exitCodes 2 *core.v1.ContainerRestartRuleOnExitCodes omitempty
scalar core.v1.ContainerRestartRuleAction string ["Restart","RestartAllContainers"]
struct core.v1.ContainerRestartRuleOnExitCodes
 operator 1 core.v1.ContainerRestartRuleOnExitCodesOperator required omitempty
 values 2 []int32 omitempty listType=set
scalar core.v1.ContainerRestartRuleOnExitCodesOperator string ["In","NotIn"]
struct core.v1.ContainerState
 waiting 1 *core.v1.ContainerStateWaiting omitempty
 running 2 *core.v1.ContainerStateRunning omitempty
 terminated 3 *core.v1.ContainerStateTerminated omitempty
struct core.v1.ContainerStateRunning
 startedAt 1 meta.v1.Time omitempty
struct core.v1.ContainerStateTerminated
 exitCode 1 int32 required
 signal 2 int32 omitempty
 reason 3 string omitempty
 message 4 string omitempty
 startedAt 5 meta.v1.Time omitempty
 finishedAt 6 meta.v1.Time omitempty
 containerID 7 string omitempty
struct core.v1.ContainerStateWaiting
 reason 1 string omitempty
 message 2 string omitempty
struct core.v1.ContainerStatus
 name 1 string required
 state 2 core.v1.ContainerState omitempty
 lastState 3 core.v1.ContainerState omitempty
 ready 4 bool required
 restartCount 5 int32 required
 image 6 string required
 imageID 7 string required
 containerID 8 string omitempty
 started 9 *bool omitempty
 allocatedResources 10 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 resources 11 *core.v1.ResourceRequirements omitempty
 volumeMounts 12 []core.v1.VolumeMountStatus omitempty patchStrategy=merge patchMergeKey=mountPath listType=map listMapKeys=mountPath
 user 13 *core.v1.ContainerUser omitempty
 allocatedResourcesStatus 14 []core.v1.ResourceStatus omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 stopSignal 15 *core.v1.Signal omitempty
struct core.v1.ContainerUser
 linux 1 *core.v1.LinuxContainerUser omitempty
enum core.v1.DNSPolicy string ["ClusterFirst","ClusterFirstWithHostNet","Default","None"]
struct core.v1.DaemonEndpoint
 Port 1 int32 required
struct core.v1.DownwardAPIProjection
 items 1 []core.v1.DownwardAPIVolumeFile omitempty listType=atomic
struct core.v1.DownwardAPIVolumeFile
 path 1 string required
 fieldRef 2 *core.v1.ObjectFieldSelector omitempty
 resourceFieldRef 3 *core.v1.ResourceFieldSelector omitempty
 mode 4 *int32 omitempty
struct core.v1.DownwardAPIVolumeSource
 items 1 []core.v1.DownwardAPIVolumeFile omitempty listType=atomic
 defaultMode 2 *int32 omitempty defaulted=420
struct core.v1.EmptyDirVolumeSource
 medium 1 core.v1.StorageMedium omitempty
 sizeLimit 2 *machinery.api.resource.Quantity omitempty
struct core.v1.EndpointAddress mapType=atomic
 ip 1 string required
 hostname 3 string omitempty
 nodeName 4 *string omitempty
 targetRef 2 *core.v1.ObjectReference omitempty
struct core.v1.EndpointPort mapType=atomic
 name 1 string omitempty
 port 2 int32 required
 protocol 3 core.v1.Protocol omitempty defaulted="TCP"
 appProtocol 4 *string omitempty
struct core.v1.EndpointSubset
 addresses 1 []core.v1.EndpointAddress omitempty listType=atomic
 notReadyAddresses 2 []core.v1.EndpointAddress omitempty listType=atomic
 ports 3 []core.v1.EndpointPort omitempty listType=atomic
struct core.v1.Endpoints gvk=/v1/Endpoints
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 subsets 2 []core.v1.EndpointSubset omitempty listType=atomic
struct core.v1.EndpointsList gvk=/v1/EndpointsList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Endpoints required
struct core.v1.EnvFromSource
 prefix 1 string omitempty
 configMapRef 2 *core.v1.ConfigMapEnvSource omitempty
 secretRef 3 *core.v1.SecretEnvSource omitempty
struct core.v1.EnvVar
 name 1 string required
 value 2 string omitempty
 valueFrom 3 *core.v1.EnvVarSource omitempty
struct core.v1.EnvVarSource
 fieldRef 1 *core.v1.ObjectFieldSelector omitempty
 resourceFieldRef 2 *core.v1.ResourceFieldSelector omitempty
 configMapKeyRef 3 *core.v1.ConfigMapKeySelector omitempty
 secretKeyRef 4 *core.v1.SecretKeySelector omitempty
 fileKeyRef 5 *core.v1.FileKeySelector omitempty
struct core.v1.EphemeralContainer
 ephemeralContainerCommon 1 core.v1.EphemeralContainerCommon inline
 targetContainerName 2 string omitempty
struct core.v1.EphemeralContainerCommon
 name 1 string required
 image 2 string omitempty
 command 3 []string omitempty listType=atomic
 args 4 []string omitempty listType=atomic
 workingDir 5 string omitempty
 ports 6 []core.v1.ContainerPort omitempty patchStrategy=merge patchMergeKey=containerPort listType=map listMapKeys=containerPort,protocol
 envFrom 19 []core.v1.EnvFromSource omitempty listType=atomic
 env 7 []core.v1.EnvVar omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 resources 8 core.v1.ResourceRequirements omitempty
 resizePolicy 23 []core.v1.ContainerResizePolicy omitempty listType=atomic
 restartPolicy 24 *core.v1.ContainerRestartPolicy omitempty
 restartPolicyRules 25 []core.v1.ContainerRestartRule omitempty listType=atomic
 volumeMounts 9 []core.v1.VolumeMount omitempty patchStrategy=merge patchMergeKey=mountPath listType=map listMapKeys=mountPath
 volumeDevices 21 []core.v1.VolumeDevice omitempty patchStrategy=merge patchMergeKey=devicePath listType=map listMapKeys=devicePath
 livenessProbe 10 *core.v1.Probe omitempty
 readinessProbe 11 *core.v1.Probe omitempty
 startupProbe 22 *core.v1.Probe omitempty
 lifecycle 12 *core.v1.Lifecycle omitempty
 terminationMessagePath 13 string omitempty defaulted="/dev/termination-log"
 terminationMessagePolicy 20 core.v1.TerminationMessagePolicy omitempty defaulted="File"
 imagePullPolicy 14 core.v1.PullPolicy omitempty
 securityContext 15 *core.v1.SecurityContext omitempty
 stdin 16 bool omitempty
 stdinOnce 17 bool omitempty
 tty 18 bool omitempty
struct core.v1.EphemeralVolumeSource
 volumeClaimTemplate 1 *core.v1.PersistentVolumeClaimTemplate omitempty
struct core.v1.Event gvk=/v1/Event
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta required
 involvedObject 2 core.v1.ObjectReference required
 reason 3 string omitempty
 message 4 string omitempty
 source 5 core.v1.EventSource omitempty
 firstTimestamp 6 meta.v1.Time omitempty
 lastTimestamp 7 meta.v1.Time omitempty
 count 8 int32 omitempty
 type 9 string omitempty
 eventTime 10 meta.v1.MicroTime omitempty
 series 11 *core.v1.EventSeries omitempty
 action 12 string omitempty
 related 13 *core.v1.ObjectReference omitempty
 reportingComponent 14 string
 reportingInstance 15 string
struct core.v1.EventList gvk=/v1/EventList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Event required
struct core.v1.EventSeries
 count 1 int32 omitempty
 lastObservedTime 2 meta.v1.MicroTime omitempty
struct core.v1.EventSource
 component 1 string omitempty
 host 2 string omitempty
struct core.v1.ExecAction
 command 1 []string omitempty listType=atomic
struct core.v1.FCVolumeSource
 targetWWNs 1 []string omitempty listType=atomic
 lun 2 *int32 omitempty
 fsType 3 string omitempty
 readOnly 4 bool omitempty
 wwids 5 []string omitempty listType=atomic
struct core.v1.FileKeySelector mapType=atomic
 volumeName 1 string required
 path 2 string required
 key 3 string required
 optional 4 *bool omitempty default=false defaulted=false
scalar core.v1.FinalizerName string ["kubernetes"]
struct core.v1.FlexPersistentVolumeSource
 driver 1 string required
 fsType 2 string omitempty
 secretRef 3 *core.v1.SecretReference omitempty
 readOnly 4 bool omitempty
 options 5 map[string]string omitempty
struct core.v1.FlexVolumeSource
 driver 1 string required
 fsType 2 string omitempty
 secretRef 3 *core.v1.LocalObjectReference omitempty
 readOnly 4 bool omitempty
 options 5 map[string]string omitempty
struct core.v1.FlockerVolumeSource
 datasetName 1 string omitempty
 datasetUUID 2 string omitempty
struct core.v1.GCEPersistentDiskVolumeSource
 pdName 1 string required
 fsType 2 string omitempty
 partition 3 int32 omitempty
 readOnly 4 bool omitempty
struct core.v1.GRPCAction
 port 1 int32 required
 service 2 *string default="" defaulted=""
struct core.v1.GitRepoVolumeSource
 repository 1 string required
 revision 2 string omitempty
 directory 3 string omitempty
struct core.v1.GlusterfsPersistentVolumeSource
 endpoints 1 string required
 path 2 string required
 readOnly 3 bool omitempty
 endpointsNamespace 4 *string omitempty
struct core.v1.GlusterfsVolumeSource
 endpoints 1 string required
 path 2 string required
 readOnly 3 bool omitempty
struct core.v1.HTTPGetAction
 path 1 string omitempty defaulted="/"
 port 2 machinery.util.intstr.IntOrString required
 host 3 string omitempty
 scheme 4 core.v1.URIScheme omitempty defaulted="HTTP"
 httpHeaders 5 []core.v1.HTTPHeader omitempty listType=atomic
struct core.v1.HTTPHeader
 name 1 string required
 value 2 string required
struct core.v1.HostAlias
 ip 1 string required
 hostnames 2 []string omitempty listType=atomic
struct core.v1.HostIP
 ip 1 string required
enum core.v1.HostPathType string ["","BlockDevice","CharDevice","Directory","DirectoryOrCreate","File","FileOrCreate","Socket"]
struct core.v1.HostPathVolumeSource
 path 1 string required
 type 2 *core.v1.HostPathType omitempty defaulted=""
enum core.v1.IPFamily string ["","IPv4","IPv6"]
enum core.v1.IPFamilyPolicy string ["PreferDualStack","RequireDualStack","SingleStack"]
struct core.v1.ISCSIPersistentVolumeSource
 targetPortal 1 string required
 iqn 2 string required
 lun 3 int32 required
 iscsiInterface 4 string omitempty default="default" defaulted="default"
 fsType 5 string omitempty
 readOnly 6 bool omitempty
 portals 7 []string omitempty listType=atomic
 chapAuthDiscovery 8 bool omitempty
 chapAuthSession 11 bool omitempty
 secretRef 10 *core.v1.SecretReference omitempty
 initiatorName 12 *string omitempty
struct core.v1.ISCSIVolumeSource
 targetPortal 1 string required
 iqn 2 string required
 lun 3 int32 required
 iscsiInterface 4 string omitempty default="default" defaulted="default"
 fsType 5 string omitempty
 readOnly 6 bool omitempty
 portals 7 []string omitempty listType=atomic
 chapAuthDiscovery 8 bool omitempty
 chapAuthSession 11 bool omitempty
 secretRef 10 *core.v1.LocalObjectReference omitempty
 initiatorName 12 *string omitempty
struct core.v1.ImageVolumeSource
 reference 1 string omitempty
 pullPolicy 2 core.v1.PullPolicy omitempty
struct core.v1.ImageVolumeStatus
 imageRef 1 string required omitempty
struct core.v1.KeyToPath
 key 1 string required
 path 2 string required
 mode 3 *int32 omitempty
struct core.v1.Lifecycle
 postStart 1 *core.v1.LifecycleHandler omitempty
 preStop 2 *core.v1.LifecycleHandler omitempty
 stopSignal 3 *core.v1.Signal omitempty
struct core.v1.LifecycleHandler
 exec 1 *core.v1.ExecAction omitempty
 httpGet 2 *core.v1.HTTPGetAction omitempty
 tcpSocket 3 *core.v1.TCPSocketAction omitempty
 sleep 4 *core.v1.SleepAction omitempty
struct core.v1.LimitRange gvk=/v1/LimitRange
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.LimitRangeSpec omitempty
struct core.v1.LimitRangeItem
 type 1 core.v1.LimitType required
 max 2 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 min 3 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 default 4 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 defaultRequest 5 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 maxLimitRequestRatio 6 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
struct core.v1.LimitRangeList gvk=/v1/LimitRangeList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.LimitRange required
struct core.v1.LimitRangeSpec
 limits 1 []core.v1.LimitRangeItem required listType=atomic
scalar core.v1.LimitType string ["Container","PersistentVolumeClaim","Pod"]
struct core.v1.LinuxContainerUser
 uid 1 int64 required
 gid 2 int64 required
 supplementalGroups 3 []int64 omitempty listType=atomic
struct core.v1.List gvk=/v1/List
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []machinery.runtime.RawExtension required
scalar core.v1.LoadBalancerIPMode string ["Proxy","VIP"]
struct core.v1.LoadBalancerIngress
 ip 1 string omitempty
 hostname 2 string omitempty
 ipMode 3 *core.v1.LoadBalancerIPMode omitempty
 ports 4 []core.v1.PortStatus omitempty listType=atomic
struct core.v1.LoadBalancerStatus
 ingress 1 []core.v1.LoadBalancerIngress omitempty listType=atomic
struct core.v1.LocalObjectReference mapType=atomic
 name 1 string omitempty
struct core.v1.LocalVolumeSource
 path 1 string required
 fsType 2 *string omitempty
struct core.v1.ModifyVolumeStatus
 targetVolumeAttributesClassName 1 string omitempty
 status 2 core.v1.PersistentVolumeClaimModifyVolumeStatus required
enum core.v1.MountPropagationMode string ["Bidirectional","HostToContainer","None"]
struct core.v1.NFSVolumeSource
 server 1 string required
 path 2 string required
 readOnly 3 bool omitempty
struct core.v1.Namespace gvk=/v1/Namespace
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.NamespaceSpec omitempty
 status 3 core.v1.NamespaceStatus omitempty
struct core.v1.NamespaceCondition
 type 1 core.v1.NamespaceConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 4 meta.v1.Time omitempty
 reason 5 string omitempty
 message 6 string omitempty
scalar core.v1.NamespaceConditionType string ["NamespaceContentRemaining","NamespaceDeletionContentFailure","NamespaceDeletionDiscoveryFailure","NamespaceDeletionGroupVersionParsingFailure","NamespaceFinalizersRemaining"]
struct core.v1.NamespaceList gvk=/v1/NamespaceList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Namespace required
enum core.v1.NamespacePhase string ["Active","Terminating"]
struct core.v1.NamespaceSpec
 finalizers 1 []core.v1.FinalizerName omitempty listType=atomic
struct core.v1.NamespaceStatus
 phase 1 core.v1.NamespacePhase omitempty defaulted="Active"
 conditions 2 []core.v1.NamespaceCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct core.v1.Node gvk=/v1/Node
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.NodeSpec omitempty
 status 3 core.v1.NodeStatus omitempty
struct core.v1.NodeAddress
 type 1 core.v1.NodeAddressType required
 address 2 string required
scalar core.v1.NodeAddressType string ["ExternalDNS","ExternalIP","Hostname","InternalDNS","InternalIP"]
struct core.v1.NodeAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 *core.v1.NodeSelector omitempty
 preferredDuringSchedulingIgnoredDuringExecution 2 []core.v1.PreferredSchedulingTerm omitempty listType=atomic
struct core.v1.NodeAllocatableResourceClaimStatus
 resourceClaimName 1 string required
 containers 2 []string omitempty listType=set
 resources 3 map[core.v1.ResourceName]machinery.api.resource.Quantity required
struct core.v1.NodeCondition
 type 1 core.v1.NodeConditionType required
 status 2 core.v1.ConditionStatus required
 lastHeartbeatTime 3 meta.v1.Time omitempty
 lastTransitionTime 4 meta.v1.Time omitempty
 reason 5 string omitempty
 message 6 string omitempty
scalar core.v1.NodeConditionType string ["DiskPressure","MemoryPressure","NetworkUnavailable","PIDPressure","Ready"]
struct core.v1.NodeConfigSource
 configMap 2 *core.v1.ConfigMapNodeConfigSource omitempty
struct core.v1.NodeConfigStatus
 assigned 1 *core.v1.NodeConfigSource omitempty
 active 2 *core.v1.NodeConfigSource omitempty
 lastKnownGood 3 *core.v1.NodeConfigSource omitempty
 error 4 string omitempty
struct core.v1.NodeDaemonEndpoints
 kubeletEndpoint 1 core.v1.DaemonEndpoint omitempty
struct core.v1.NodeFeatures
 supplementalGroupsPolicy 1 *bool omitempty
enum core.v1.NodeInclusionPolicy string ["Honor","Ignore"]
struct core.v1.NodeList gvk=/v1/NodeList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Node required
enum core.v1.NodePhase string ["Pending","Running","Terminated"]
struct core.v1.NodeProxyOptions gvk=/v1/NodeProxyOptions
 TypeMeta - meta.v1.TypeMeta inline
 path 1 string omitempty
struct core.v1.NodeRuntimeHandler
 name 1 string
 features 2 *core.v1.NodeRuntimeHandlerFeatures omitempty
struct core.v1.NodeRuntimeHandlerFeatures
 recursiveReadOnlyMounts 1 *bool omitempty
 userNamespaces 2 *bool omitempty
struct core.v1.NodeSelector mapType=atomic
 nodeSelectorTerms 1 []core.v1.NodeSelectorTerm required listType=atomic
enum core.v1.NodeSelectorOperator string ["DoesNotExist","Exists","Gt","In","Lt","NotIn"]
struct core.v1.NodeSelectorRequirement
 key 1 string required
 operator 2 core.v1.NodeSelectorOperator required
 values 3 []string omitempty listType=atomic
struct core.v1.NodeSelectorTerm mapType=atomic
 matchExpressions 1 []core.v1.NodeSelectorRequirement omitempty listType=atomic
 matchFields 2 []core.v1.NodeSelectorRequirement omitempty listType=atomic
struct core.v1.NodeSpec
 podCIDR 1 string omitempty
 podCIDRs 7 []string omitempty patchStrategy=merge listType=set
 providerID 3 string omitempty
 unschedulable 4 bool omitempty
 taints 5 []core.v1.Taint omitempty listType=atomic
 configSource 6 *core.v1.NodeConfigSource omitempty
 externalID 2 string omitempty
struct core.v1.NodeStatus
 capacity 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 allocatable 2 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 phase 3 core.v1.NodePhase omitempty
 conditions 4 []core.v1.NodeCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 addresses 5 []core.v1.NodeAddress omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 daemonEndpoints 6 core.v1.NodeDaemonEndpoints omitempty
 nodeInfo 7 core.v1.NodeSystemInfo omitempty
 images 8 []core.v1.ContainerImage omitempty listType=atomic
 volumesInUse 9 []core.v1.UniqueVolumeName omitempty listType=atomic
 volumesAttached 10 []core.v1.AttachedVolume omitempty listType=atomic
 config 11 *core.v1.NodeConfigStatus omitempty
 runtimeHandlers 12 []core.v1.NodeRuntimeHandler omitempty listType=atomic
 features 13 *core.v1.NodeFeatures omitempty
 declaredFeatures 14 []string omitempty listType=atomic
struct core.v1.NodeSwapStatus
 capacity 1 *int64 omitempty
struct core.v1.NodeSystemInfo
 machineID 1 string required
 systemUUID 2 string required
 bootID 3 string required
 kernelVersion 4 string required
 osImage 5 string required
 containerRuntimeVersion 6 string required
 kubeletVersion 7 string required
 kubeProxyVersion 8 string required
 operatingSystem 9 string required
 architecture 10 string required
 swap 11 *core.v1.NodeSwapStatus omitempty
scalar core.v1.OSName string ["linux","windows"]
struct core.v1.ObjectFieldSelector mapType=atomic
 apiVersion 1 string omitempty defaulted="v1"
 fieldPath 2 string required
struct core.v1.ObjectReference mapType=atomic
 kind 1 string omitempty
 namespace 2 string omitempty
 name 3 string omitempty
 uid 4 machinery.types.UID omitempty
 apiVersion 5 string omitempty
 resourceVersion 6 string omitempty
 fieldPath 7 string omitempty
struct core.v1.PersistentVolume gvk=/v1/PersistentVolume
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.PersistentVolumeSpec omitempty
 status 3 core.v1.PersistentVolumeStatus omitempty
enum core.v1.PersistentVolumeAccessMode string ["ReadOnlyMany","ReadWriteMany","ReadWriteOnce","ReadWriteOncePod"]
struct core.v1.PersistentVolumeClaim gvk=/v1/PersistentVolumeClaim
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.PersistentVolumeClaimSpec omitempty
 status 3 core.v1.PersistentVolumeClaimStatus omitempty
struct core.v1.PersistentVolumeClaimCondition
 type 1 core.v1.PersistentVolumeClaimConditionType required
 status 2 core.v1.ConditionStatus required
 lastProbeTime 3 meta.v1.Time omitempty
 lastTransitionTime 4 meta.v1.Time omitempty
 reason 5 string omitempty
 message 6 string omitempty
scalar core.v1.PersistentVolumeClaimConditionType string ["ControllerResizeError","FileSystemResizePending","ModifyVolumeError","ModifyingVolume","NodeResizeError","Resizing","Unused"]
struct core.v1.PersistentVolumeClaimList gvk=/v1/PersistentVolumeClaimList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.PersistentVolumeClaim required
enum core.v1.PersistentVolumeClaimModifyVolumeStatus string ["InProgress","Infeasible","Pending"]
enum core.v1.PersistentVolumeClaimPhase string ["Bound","Lost","Pending"]
struct core.v1.PersistentVolumeClaimSpec
 accessModes 1 []core.v1.PersistentVolumeAccessMode omitempty listType=atomic
 selector 4 *meta.v1.LabelSelector omitempty
 resources 2 core.v1.VolumeResourceRequirements omitempty
 volumeName 3 string omitempty
 storageClassName 5 *string omitempty
 volumeMode 6 *core.v1.PersistentVolumeMode omitempty defaulted="Filesystem"
 dataSource 7 *core.v1.TypedLocalObjectReference omitempty
 dataSourceRef 8 *core.v1.TypedObjectReference omitempty
 volumeAttributesClassName 9 *string omitempty
struct core.v1.PersistentVolumeClaimStatus
 phase 1 core.v1.PersistentVolumeClaimPhase omitempty defaulted="Pending"
 accessModes 2 []core.v1.PersistentVolumeAccessMode omitempty listType=atomic
 capacity 3 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 conditions 4 []core.v1.PersistentVolumeClaimCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 allocatedResources 5 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 allocatedResourceStatuses 7 map[core.v1.ResourceName]core.v1.ClaimResourceStatus omitempty mapType=granular
 currentVolumeAttributesClassName 8 *string omitempty
 modifyVolumeStatus 9 *core.v1.ModifyVolumeStatus omitempty
struct core.v1.PersistentVolumeClaimTemplate
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.PersistentVolumeClaimSpec required
struct core.v1.PersistentVolumeClaimVolumeSource
 claimName 1 string required
 readOnly 2 bool omitempty
struct core.v1.PersistentVolumeList gvk=/v1/PersistentVolumeList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.PersistentVolume required
enum core.v1.PersistentVolumeMode string ["Block","Filesystem"]
enum core.v1.PersistentVolumePhase string ["Available","Bound","Failed","Pending","Released"]
enum core.v1.PersistentVolumeReclaimPolicy string ["Delete","Recycle","Retain"]
struct core.v1.PersistentVolumeSource
 gcePersistentDisk 1 *core.v1.GCEPersistentDiskVolumeSource omitempty
 awsElasticBlockStore 2 *core.v1.AWSElasticBlockStoreVolumeSource omitempty
 hostPath 3 *core.v1.HostPathVolumeSource omitempty
 glusterfs 4 *core.v1.GlusterfsPersistentVolumeSource omitempty
 nfs 5 *core.v1.NFSVolumeSource omitempty
 rbd 6 *core.v1.RBDPersistentVolumeSource omitempty
 iscsi 7 *core.v1.ISCSIPersistentVolumeSource omitempty
 cinder 8 *core.v1.CinderPersistentVolumeSource omitempty
 cephfs 9 *core.v1.CephFSPersistentVolumeSource omitempty
 fc 10 *core.v1.FCVolumeSource omitempty
 flocker 11 *core.v1.FlockerVolumeSource omitempty
 flexVolume 12 *core.v1.FlexPersistentVolumeSource omitempty
 azureFile 13 *core.v1.AzureFilePersistentVolumeSource omitempty
 vsphereVolume 14 *core.v1.VsphereVirtualDiskVolumeSource omitempty
 quobyte 15 *core.v1.QuobyteVolumeSource omitempty
 azureDisk 16 *core.v1.AzureDiskVolumeSource omitempty
 photonPersistentDisk 17 *core.v1.PhotonPersistentDiskVolumeSource omitempty
 portworxVolume 18 *core.v1.PortworxVolumeSource omitempty
 scaleIO 19 *core.v1.ScaleIOPersistentVolumeSource omitempty
 local 20 *core.v1.LocalVolumeSource omitempty
 storageos 21 *core.v1.StorageOSPersistentVolumeSource omitempty
 csi 22 *core.v1.CSIPersistentVolumeSource omitempty
struct core.v1.PersistentVolumeSpec
 capacity 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 persistentVolumeSource 2 core.v1.PersistentVolumeSource inline
 accessModes 3 []core.v1.PersistentVolumeAccessMode omitempty listType=atomic
 claimRef 4 *core.v1.ObjectReference omitempty mapType=granular
 persistentVolumeReclaimPolicy 5 core.v1.PersistentVolumeReclaimPolicy omitempty
 storageClassName 6 string omitempty
 mountOptions 7 []string omitempty listType=atomic
 volumeMode 8 *core.v1.PersistentVolumeMode omitempty
 nodeAffinity 9 *core.v1.VolumeNodeAffinity omitempty
 volumeAttributesClassName 10 *string omitempty
struct core.v1.PersistentVolumeStatus
 phase 1 core.v1.PersistentVolumePhase omitempty defaulted="Pending"
 message 2 string omitempty
 reason 3 string omitempty
 lastPhaseTransitionTime 4 *meta.v1.Time omitempty
struct core.v1.PhotonPersistentDiskVolumeSource
 pdID 1 string required
 fsType 2 string omitempty
struct core.v1.Pod gvk=/v1/Pod
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.PodSpec omitempty
 status 3 core.v1.PodStatus omitempty
struct core.v1.PodAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []core.v1.PodAffinityTerm omitempty listType=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []core.v1.WeightedPodAffinityTerm omitempty listType=atomic
struct core.v1.PodAffinityTerm
 labelSelector 1 *meta.v1.LabelSelector omitempty
 namespaces 2 []string omitempty listType=atomic
 topologyKey 3 string required
 namespaceSelector 4 *meta.v1.LabelSelector omitempty
 matchLabelKeys 5 []string omitempty listType=atomic
 mismatchLabelKeys 6 []string omitempty listType=atomic
struct core.v1.PodAntiAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []core.v1.PodAffinityTerm omitempty listType=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []core.v1.WeightedPodAffinityTerm omitempty listType=atomic
struct core.v1.PodAttachOptions gvk=/v1/PodAttachOptions
 TypeMeta - meta.v1.TypeMeta inline
 stdin 1 bool omitempty
 stdout 2 bool omitempty
 stderr 3 bool omitempty
 tty 4 bool omitempty
 container 5 string omitempty
struct core.v1.PodCertificateProjection
 signerName 1 string required omitempty
 keyType 2 string required omitempty
 maxExpirationSeconds 3 *int32 omitempty
 credentialBundlePath 4 string omitempty
 keyPath 5 string omitempty
 certificateChainPath 6 string omitempty
 userAnnotations 7 map[string]string omitempty
struct core.v1.PodCondition
 type 1 core.v1.PodConditionType required
 observedGeneration 7 int64 omitempty
 status 2 core.v1.ConditionStatus required
 lastProbeTime 3 meta.v1.Time omitempty
 lastTransitionTime 4 meta.v1.Time omitempty
 reason 5 string omitempty
 message 6 string omitempty
scalar core.v1.PodConditionType string ["AllContainersRestarting","ContainersReady","DisruptionTarget","Initialized","PodReadyToStartContainers","PodResizeInProgress","PodResizePending","PodScheduled","Ready"]
struct core.v1.PodDNSConfig
 nameservers 1 []string omitempty listType=atomic
 searches 2 []string omitempty listType=atomic
 options 3 []core.v1.PodDNSConfigOption omitempty listType=atomic
struct core.v1.PodDNSConfigOption
 name 1 string omitempty
 value 2 *string omitempty
struct core.v1.PodExecOptions gvk=/v1/PodExecOptions
 TypeMeta - meta.v1.TypeMeta inline
 stdin 1 bool omitempty
 stdout 2 bool omitempty
 stderr 3 bool omitempty
 tty 4 bool omitempty
 container 5 string omitempty
 command 6 []string required listType=atomic
struct core.v1.PodExtendedResourceClaimStatus
 requestMappings 1 []core.v1.ContainerExtendedResourceRequest required listType=atomic
 resourceClaimName 2 string required
enum core.v1.PodFSGroupChangePolicy string ["Always","OnRootMismatch"]
struct core.v1.PodIP
 ip 1 string required
struct core.v1.PodList gvk=/v1/PodList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Pod required
struct core.v1.PodLogOptions gvk=/v1/PodLogOptions
 TypeMeta - meta.v1.TypeMeta inline
 container 1 string omitempty
 follow 2 bool omitempty
 previous 3 bool omitempty
 sinceSeconds 4 *int64 omitempty
 sinceTime 5 *meta.v1.Time omitempty
 timestamps 6 bool omitempty
 tailLines 7 *int64 omitempty
 limitBytes 8 *int64 omitempty
 insecureSkipTLSVerifyBackend 9 bool omitempty
 stream 10 *string omitempty
struct core.v1.PodOS
 name 1 core.v1.OSName required
enum core.v1.PodPhase string ["Failed","Pending","Running","Succeeded","Unknown"]
struct core.v1.PodPortForwardOptions gvk=/v1/PodPortForwardOptions
 TypeMeta - meta.v1.TypeMeta inline
 ports 1 []int32 omitempty listType=atomic
struct core.v1.PodProxyOptions gvk=/v1/PodProxyOptions
 TypeMeta - meta.v1.TypeMeta inline
 path 1 string omitempty
enum core.v1.PodQOSClass string ["BestEffort","Burstable","Guaranteed"]
struct core.v1.PodReadinessGate
 conditionType 1 core.v1.PodConditionType required
scalar core.v1.PodResizeStatus string ["Deferred","InProgress","Infeasible"]
struct core.v1.PodResourceClaim
 name 1 string required
 resourceClaimName 3 *string omitempty
 resourceClaimTemplateName 4 *string omitempty
struct core.v1.PodResourceClaimStatus
 name 1 string required
 resourceClaimName 2 *string omitempty
scalar core.v1.PodSELinuxChangePolicy string ["MountOption","Recursive"]
struct core.v1.PodSchedulingGate
 name 1 string required
struct core.v1.PodSchedulingGroup unions=[{"fields":{"podGroupName":"PodGroupName"}}]
 podGroupName 1 *string omitempty
struct core.v1.PodSecurityContext
 seLinuxOptions 1 *core.v1.SELinuxOptions omitempty
 windowsOptions 8 *core.v1.WindowsSecurityContextOptions omitempty
 runAsUser 2 *int64 omitempty
 runAsGroup 6 *int64 omitempty
 runAsNonRoot 3 *bool omitempty
 supplementalGroups 4 []int64 omitempty listType=atomic
 supplementalGroupsPolicy 12 *core.v1.SupplementalGroupsPolicy omitempty
 fsGroup 5 *int64 omitempty
 sysctls 7 []core.v1.Sysctl omitempty listType=atomic
 fsGroupChangePolicy 9 *core.v1.PodFSGroupChangePolicy omitempty
 seccompProfile 10 *core.v1.SeccompProfile omitempty
 appArmorProfile 11 *core.v1.AppArmorProfile omitempty
 seLinuxChangePolicy 13 *core.v1.PodSELinuxChangePolicy omitempty
struct core.v1.PodSignature
 podController 1 *meta.v1.OwnerReference omitempty
struct core.v1.PodSpec
 volumes 1 []core.v1.Volume omitempty patchStrategy=merge,retainKeys patchMergeKey=name listType=map listMapKeys=name
 initContainers 20 []core.v1.Container omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 containers 2 []core.v1.Container required patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 ephemeralContainers 34 []core.v1.EphemeralContainer omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 restartPolicy 3 core.v1.RestartPolicy omitempty defaulted="Always"
 terminationGracePeriodSeconds 4 *int64 omitempty defaulted=30
 activeDeadlineSeconds 5 *int64 omitempty
 dnsPolicy 6 core.v1.DNSPolicy omitempty defaulted="ClusterFirst"
 nodeSelector 7 map[string]string omitempty mapType=atomic
 serviceAccountName 8 string omitempty
 serviceAccount 9 string omitempty
 automountServiceAccountToken 21 *bool omitempty
 nodeName 10 string omitempty
 hostNetwork 11 bool omitempty
 hostPID 12 bool omitempty
 hostIPC 13 bool omitempty
 shareProcessNamespace 27 *bool omitempty
 securityContext 14 *core.v1.PodSecurityContext omitempty defaulted={}
 imagePullSecrets 15 []core.v1.LocalObjectReference omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 hostname 16 string omitempty
 subdomain 17 string omitempty
 affinity 18 *core.v1.Affinity omitempty
 schedulerName 19 string omitempty defaulted="default-scheduler"
 tolerations 22 []core.v1.Toleration omitempty listType=atomic
 hostAliases 23 []core.v1.HostAlias omitempty patchStrategy=merge patchMergeKey=ip listType=map listMapKeys=ip
 priorityClassName 24 string omitempty
 priority 25 *int32 omitempty
 dnsConfig 26 *core.v1.PodDNSConfig omitempty
 readinessGates 28 []core.v1.PodReadinessGate omitempty listType=atomic
 runtimeClassName 29 *string omitempty
 enableServiceLinks 30 *bool omitempty
 preemptionPolicy 31 *core.v1.PreemptionPolicy omitempty
 overhead 32 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 topologySpreadConstraints 33 []core.v1.TopologySpreadConstraint omitempty patchStrategy=merge patchMergeKey=topologyKey listType=map listMapKeys=topologyKey,whenUnsatisfiable
 setHostnameAsFQDN 35 *bool omitempty
 os 36 *core.v1.PodOS omitempty
 hostUsers 37 *bool omitempty
 schedulingGates 38 []core.v1.PodSchedulingGate omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 resourceClaims 39 []core.v1.PodResourceClaim omitempty patchStrategy=merge,retainKeys patchMergeKey=name listType=map listMapKeys=name
 resources 40 *core.v1.ResourceRequirements omitempty
 hostnameOverride 41 *string omitempty
 schedulingGroup 43 *core.v1.PodSchedulingGroup omitempty
struct core.v1.PodStatus
 observedGeneration 17 int64 omitempty
 phase 1 core.v1.PodPhase omitempty
 conditions 2 []core.v1.PodCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
 message 3 string omitempty
 reason 4 string omitempty
 nominatedNodeName 11 string omitempty
 hostIP 5 string omitempty
 hostIPs 16 []core.v1.HostIP omitempty patchStrategy=merge patchMergeKey=ip listType=atomic
 podIP 6 string omitempty
 podIPs 12 []core.v1.PodIP omitempty patchStrategy=merge patchMergeKey=ip listType=map listMapKeys=ip
 startTime 7 *meta.v1.Time omitempty
 initContainerStatuses 10 []core.v1.ContainerStatus omitempty listType=atomic
 containerStatuses 8 []core.v1.ContainerStatus omitempty listType=atomic
 qosClass 9 core.v1.PodQOSClass omitempty
 ephemeralContainerStatuses 13 []core.v1.ContainerStatus omitempty listType=atomic
 resize 14 core.v1.PodResizeStatus omitempty
 resourceClaimStatuses 15 []core.v1.PodResourceClaimStatus omitempty patchStrategy=merge,retainKeys patchMergeKey=name listType=map listMapKeys=name
 extendedResourceClaimStatus 18 *core.v1.PodExtendedResourceClaimStatus omitempty
 allocatedResources 19 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 resources 20 *core.v1.ResourceRequirements omitempty
 nodeAllocatableResourceClaimStatuses 21 []core.v1.NodeAllocatableResourceClaimStatus omitempty listType=atomic
struct core.v1.PodStatusResult gvk=/v1/PodStatusResult
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 status 2 core.v1.PodStatus omitempty
struct core.v1.PodTemplate gvk=/v1/PodTemplate
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 template 2 core.v1.PodTemplateSpec omitempty
struct core.v1.PodTemplateList gvk=/v1/PodTemplateList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.PodTemplate required
struct core.v1.PodTemplateSpec
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.PodSpec omitempty
struct core.v1.PortStatus
 port 1 int32 required
 protocol 2 core.v1.Protocol required
 error 3 *string omitempty
struct core.v1.PortworxVolumeSource
 volumeID 1 string required
 fsType 2 string omitempty
 readOnly 3 bool omitempty
enum core.v1.PreemptionPolicy string ["Never","PreemptLowerPriority"]
struct core.v1.PreferAvoidPodsEntry
 podSignature 1 core.v1.PodSignature required
 evictionTime 2 meta.v1.Time omitempty
 reason 3 string omitempty
 message 4 string omitempty
struct core.v1.PreferredSchedulingTerm
 weight 1 int32 required
 preference 2 core.v1.NodeSelectorTerm required
struct core.v1.Probe
 handler 1 core.v1.ProbeHandler inline
 initialDelaySeconds 2 int32 omitempty
 timeoutSeconds 3 int32 omitempty defaulted=1
 periodSeconds 4 int32 omitempty defaulted=10
 successThreshold 5 int32 omitempty defaulted=1
 failureThreshold 6 int32 omitempty defaulted=3
 terminationGracePeriodSeconds 7 *int64 omitempty
struct core.v1.ProbeHandler
 exec 1 *core.v1.ExecAction omitempty
 httpGet 2 *core.v1.HTTPGetAction omitempty
 tcpSocket 3 *core.v1.TCPSocketAction omitempty
 grpc 4 *core.v1.GRPCAction omitempty
enum core.v1.ProcMountType string ["Default","Unmasked"]
struct core.v1.ProjectedVolumeSource
 sources 1 []core.v1.VolumeProjection listType=atomic
 defaultMode 2 *int32 omitempty defaulted=420
enum core.v1.Protocol string ["SCTP","TCP","UDP"]
enum core.v1.PullPolicy string ["Always","IfNotPresent","Never"]
struct core.v1.QuobyteVolumeSource
 registry 1 string required
 volume 2 string required
 readOnly 3 bool omitempty
 user 4 string omitempty
 group 5 string omitempty
 tenant 6 string omitempty
struct core.v1.RBDPersistentVolumeSource
 monitors 1 []string required listType=atomic
 image 2 string required
 fsType 3 string omitempty
 pool 4 string omitempty default="rbd" defaulted="rbd"
 user 5 string omitempty default="admin" defaulted="admin"
 keyring 6 string omitempty default="/etc/ceph/keyring" defaulted="/etc/ceph/keyring"
 secretRef 7 *core.v1.SecretReference omitempty
 readOnly 8 bool omitempty
struct core.v1.RBDVolumeSource
 monitors 1 []string required listType=atomic
 image 2 string required
 fsType 3 string omitempty
 pool 4 string omitempty default="rbd" defaulted="rbd"
 user 5 string omitempty default="admin" defaulted="admin"
 keyring 6 string omitempty default="/etc/ceph/keyring" defaulted="/etc/ceph/keyring"
 secretRef 7 *core.v1.LocalObjectReference omitempty
 readOnly 8 bool omitempty
struct core.v1.RangeAllocation gvk=/v1/RangeAllocation
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 range 2 string required
 data 3 bytes required
scalar core.v1.RecursiveReadOnlyMode string ["Disabled","Enabled","IfPossible"]
struct core.v1.ReplicationController gvk=/v1/ReplicationController
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.ReplicationControllerSpec omitempty
 status 3 core.v1.ReplicationControllerStatus omitempty
struct core.v1.ReplicationControllerCondition
 type 1 core.v1.ReplicationControllerConditionType required
 status 2 core.v1.ConditionStatus required
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar core.v1.ReplicationControllerConditionType string ["ReplicaFailure"]
struct core.v1.ReplicationControllerList gvk=/v1/ReplicationControllerList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.ReplicationController required
struct core.v1.ReplicationControllerSpec
 replicas 1 *int32 omitempty default=1 defaulted=1
 minReadySeconds 4 int32 omitempty
 selector 2 map[string]string omitempty mapType=atomic
 template 3 *core.v1.PodTemplateSpec omitempty
struct core.v1.ReplicationControllerStatus
 replicas 1 int32 required
 fullyLabeledReplicas 2 int32 omitempty
 readyReplicas 4 int32 omitempty
 availableReplicas 5 int32 omitempty
 observedGeneration 3 int64 omitempty
 conditions 6 []core.v1.ReplicationControllerCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct core.v1.ResourceClaim
 name 1 string required
 request 2 string omitempty
struct core.v1.ResourceFieldSelector mapType=atomic
 containerName 1 string omitempty
 resource 2 string required
 divisor 3 machinery.api.resource.Quantity omitempty
struct core.v1.ResourceHealth
 resourceID 1 core.v1.ResourceID required
 health 2 core.v1.ResourceHealthStatus omitempty
 message 6 *string omitempty
scalar core.v1.ResourceHealthStatus string ["Healthy","Unhealthy","Unknown"]
scalar core.v1.ResourceID string
alias core.v1.ResourceList map[core.v1.ResourceName]machinery.api.resource.Quantity
scalar core.v1.ResourceName string ["configmaps","cpu","ephemeral-storage","limits.cpu","limits.ephemeral-storage","limits.memory","memory","persistentvolumeclaims","pods","replicationcontrollers","requests.cpu","requests.ephemeral-storage","requests.memory","requests.storage","resourcequotas","secrets","services","services.loadbalancers","services.nodeports","storage"]
struct core.v1.ResourceQuota gvk=/v1/ResourceQuota
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.ResourceQuotaSpec omitempty
 status 3 core.v1.ResourceQuotaStatus omitempty
struct core.v1.ResourceQuotaList gvk=/v1/ResourceQuotaList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.ResourceQuota required
enum core.v1.ResourceQuotaScope string ["BestEffort","CrossNamespacePodAffinity","NotBestEffort","NotTerminating","PriorityClass","Terminating","VolumeAttributesClass"]
struct core.v1.ResourceQuotaSpec
 hard 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 scopes 2 []core.v1.ResourceQuotaScope omitempty listType=atomic
 scopeSelector 3 *core.v1.ScopeSelector omitempty
struct core.v1.ResourceQuotaStatus
 hard 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 used 2 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
struct core.v1.ResourceRequirements
 limits 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 requests 2 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 claims 3 []core.v1.ResourceClaim omitempty listType=map listMapKeys=name
scalar core.v1.ResourceResizeRestartPolicy string ["NotRequired","RestartContainer"]
struct core.v1.ResourceStatus
 name 1 core.v1.ResourceName required
 resources 2 []core.v1.ResourceHealth omitempty listType=map listMapKeys=resourceID
enum core.v1.RestartPolicy string ["Always","Never","OnFailure"]
struct core.v1.SELinuxOptions
 user 1 string omitempty
 role 2 string omitempty
 type 3 string omitempty
 level 4 string omitempty
struct core.v1.ScaleIOPersistentVolumeSource
 gateway 1 string required
 system 2 string required
 secretRef 3 *core.v1.SecretReference required
 sslEnabled 4 bool omitempty
 protectionDomain 5 string omitempty
 storagePool 6 string omitempty
 storageMode 7 string omitempty default="ThinProvisioned" defaulted="ThinProvisioned"
 volumeName 8 string omitempty
 fsType 9 string omitempty default="xfs" defaulted="xfs"
 readOnly 10 bool omitempty
struct core.v1.ScaleIOVolumeSource
 gateway 1 string required
 system 2 string required
 secretRef 3 *core.v1.LocalObjectReference required
 sslEnabled 4 bool omitempty
 protectionDomain 5 string omitempty
 storagePool 6 string omitempty
 storageMode 7 string omitempty default="ThinProvisioned" defaulted="ThinProvisioned"
 volumeName 8 string omitempty
 fsType 9 string omitempty default="xfs" defaulted="xfs"
 readOnly 10 bool omitempty
struct core.v1.ScopeSelector mapType=atomic
 matchExpressions 1 []core.v1.ScopedResourceSelectorRequirement omitempty listType=atomic
enum core.v1.ScopeSelectorOperator string ["DoesNotExist","Exists","In","NotIn"]
struct core.v1.ScopedResourceSelectorRequirement
 scopeName 1 core.v1.ResourceQuotaScope required
 operator 2 core.v1.ScopeSelectorOperator required
 values 3 []string omitempty listType=atomic
struct core.v1.SeccompProfile unions=[{"discriminator":"type","fields":{"localhostProfile":"LocalhostProfile"}}]
 type 1 core.v1.SeccompProfileType required
 localhostProfile 2 *string omitempty
enum core.v1.SeccompProfileType string ["Localhost","RuntimeDefault","Unconfined"]
struct core.v1.Secret gvk=/v1/Secret
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 immutable 5 *bool omitempty
 data 2 map[string]bytes omitempty
 stringData 4 map[string]string omitempty
 type 3 core.v1.SecretType omitempty defaulted="Opaque"
struct core.v1.SecretEnvSource
 localObjectReference 1 core.v1.LocalObjectReference inline
 optional 2 *bool omitempty
struct core.v1.SecretKeySelector mapType=atomic
 localObjectReference 1 core.v1.LocalObjectReference inline
 key 2 string required
 optional 3 *bool omitempty
struct core.v1.SecretList gvk=/v1/SecretList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Secret required
struct core.v1.SecretProjection
 localObjectReference 1 core.v1.LocalObjectReference inline
 items 2 []core.v1.KeyToPath omitempty listType=atomic
 optional 4 *bool omitempty
struct core.v1.SecretReference mapType=atomic
 name 1 string omitempty
 namespace 2 string omitempty
scalar core.v1.SecretType string ["Opaque","bootstrap.kubernetes.io/token","kubernetes.io/basic-auth","kubernetes.io/dockercfg","kubernetes.io/dockerconfigjson","kubernetes.io/service-account-token","kubernetes.io/ssh-auth","kubernetes.io/tls"]
struct core.v1.SecretVolumeSource
 secretName 1 string omitempty
 items 2 []core.v1.KeyToPath omitempty listType=atomic
 defaultMode 3 *int32 omitempty defaulted=420
 optional 4 *bool omitempty
struct core.v1.SecurityContext
 capabilities 1 *core.v1.Capabilities omitempty
 privileged 2 *bool omitempty
 seLinuxOptions 3 *core.v1.SELinuxOptions omitempty
 windowsOptions 10 *core.v1.WindowsSecurityContextOptions omitempty
 runAsUser 4 *int64 omitempty
 runAsGroup 8 *int64 omitempty
 runAsNonRoot 5 *bool omitempty
 readOnlyRootFilesystem 6 *bool omitempty
 allowPrivilegeEscalation 7 *bool omitempty
 procMount 9 *core.v1.ProcMountType omitempty
 seccompProfile 11 *core.v1.SeccompProfile omitempty
 appArmorProfile 12 *core.v1.AppArmorProfile omitempty
struct core.v1.SerializedReference gvk=/v1/SerializedReference
 TypeMeta - meta.v1.TypeMeta inline
 reference 1 core.v1.ObjectReference omitempty
struct core.v1.Service gvk=/v1/Service
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 core.v1.ServiceSpec omitempty
 status 3 core.v1.ServiceStatus omitempty
struct core.v1.ServiceAccount gvk=/v1/ServiceAccount
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 secrets 2 []core.v1.ObjectReference omitempty patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
 imagePullSecrets 3 []core.v1.LocalObjectReference omitempty listType=atomic
 automountServiceAccountToken 4 *bool omitempty
struct core.v1.ServiceAccountList gvk=/v1/ServiceAccountList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.ServiceAccount required
struct core.v1.ServiceAccountTokenProjection
 audience 1 string omitempty
 expirationSeconds 2 *int64 omitempty defaulted=3600
 path 3 string required
enum core.v1.ServiceAffinity string ["ClientIP","None"]
enum core.v1.ServiceExternalTrafficPolicy string ["Cluster","Local"]
enum core.v1.ServiceInternalTrafficPolicy string ["Cluster","Local"]
struct core.v1.ServiceList gvk=/v1/ServiceList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []core.v1.Service required
struct core.v1.ServicePort
 name 1 string omitempty
 protocol 2 core.v1.Protocol omitempty default="TCP" defaulted="TCP"
 appProtocol 6 *string omitempty
 port 3 int32 required
 targetPort 4 machinery.util.intstr.IntOrString omitempty
 nodePort 5 int32 omitempty
struct core.v1.ServiceProxyOptions gvk=/v1/ServiceProxyOptions
 TypeMeta - meta.v1.TypeMeta inline
 path 1 string omitempty
struct core.v1.ServiceSpec
 ports 1 []core.v1.ServicePort omitempty patchStrategy=merge patchMergeKey=port listType=map listMapKeys=port,protocol
 selector 2 map[string]string omitempty mapType=atomic
 clusterIP 3 string omitempty
 clusterIPs 18 []string omitempty listType=atomic
 type 4 core.v1.ServiceType omitempty defaulted="ClusterIP"
 externalIPs 5 []string omitempty listType=atomic
 sessionAffinity 7 core.v1.ServiceAffinity omitempty defaulted="None"
 loadBalancerIP 8 string omitempty
 loadBalancerSourceRanges 9 []string omitempty listType=atomic
 externalName 10 string omitempty
 externalTrafficPolicy 11 core.v1.ServiceExternalTrafficPolicy omitempty
 healthCheckNodePort 12 int32 omitempty
 publishNotReadyAddresses 13 bool omitempty
 sessionAffinityConfig 14 *core.v1.SessionAffinityConfig omitempty
 ipFamilies 19 []core.v1.IPFamily omitempty listType=atomic
 ipFamilyPolicy 17 *core.v1.IPFamilyPolicy omitempty
 allocateLoadBalancerNodePorts 20 *bool omitempty
 loadBalancerClass 21 *string omitempty
 internalTrafficPolicy 22 *core.v1.ServiceInternalTrafficPolicy omitempty
 trafficDistribution 23 *string omitempty
struct core.v1.ServiceStatus
 loadBalancer 1 core.v1.LoadBalancerStatus omitempty
 conditions 2 []meta.v1.Condition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
enum core.v1.ServiceType string ["ClusterIP","ExternalName","LoadBalancer","NodePort"]
struct core.v1.SessionAffinityConfig
 clientIP 1 *core.v1.ClientIPConfig omitempty
enum core.v1.Signal string ["SIGABRT","SIGALRM","SIGBUS","SIGCHLD","SIGCLD","SIGCONT","SIGFPE","SIGHUP","SIGILL","SIGINT","SIGIO","SIGIOT","SIGKILL","SIGPIPE","SIGPOLL","SIGPROF","SIGPWR","SIGQUIT","SIGRTMAX","SIGRTMAX-1","SIGRTMAX-10","SIGRTMAX-11","SIGRTMAX-12","SIGRTMAX-13","SIGRTMAX-14","SIGRTMAX-2","SIGRTMAX-3","SIGRTMAX-4","SIGRTMAX-5","SIGRTMAX-6","SIGRTMAX-7","SIGRTMAX-8","SIGRTMAX-9","SIGRTMIN","SIGRTMIN+1","SIGRTMIN+10","SIGRTMIN+11","SIGRTMIN+12","SIGRTMIN+13","SIGRTMIN+14","SIGRTMIN+15","SIGRTMIN+2","SIGRTMIN+3","SIGRTMIN+4","SIGRTMIN+5","SIGRTMIN+6","SIGRTMIN+7","SIGRTMIN+8","SIGRTMIN+9","SIGSEGV","SIGSTKFLT","SIGSTOP","SIGSYS","SIGTERM","SIGTRAP","SIGTSTP","SIGTTIN","SIGTTOU","SIGURG","SIGUSR1","SIGUSR2","SIGVTALRM","SIGWINCH","SIGXCPU","SIGXFSZ"]
struct core.v1.SleepAction
 seconds 1 int64 required
scalar core.v1.StorageMedium string ["","HugePages","HugePages-","Memory"]
struct core.v1.StorageOSPersistentVolumeSource
 volumeName 1 string omitempty
 volumeNamespace 2 string omitempty
 fsType 3 string omitempty
 readOnly 4 bool omitempty
 secretRef 5 *core.v1.ObjectReference omitempty
struct core.v1.StorageOSVolumeSource
 volumeName 1 string omitempty
 volumeNamespace 2 string omitempty
 fsType 3 string omitempty
 readOnly 4 bool omitempty
 secretRef 5 *core.v1.LocalObjectReference omitempty
enum core.v1.SupplementalGroupsPolicy string ["Merge","Strict"]
struct core.v1.Sysctl
 name 1 string required
 value 2 string required
struct core.v1.TCPSocketAction
 port 1 machinery.util.intstr.IntOrString required
 host 2 string omitempty
struct core.v1.Taint
 key 1 string required
 value 2 string omitempty
 effect 3 core.v1.TaintEffect required
 timeAdded 4 *meta.v1.Time omitempty
enum core.v1.TaintEffect string ["NoExecute","NoSchedule","PreferNoSchedule"]
enum core.v1.TerminationMessagePolicy string ["FallbackToLogsOnError","File"]
struct core.v1.Toleration
 key 1 string omitempty
 operator 2 core.v1.TolerationOperator omitempty
 value 3 string omitempty
 effect 4 core.v1.TaintEffect omitempty
 tolerationSeconds 5 *int64 omitempty
enum core.v1.TolerationOperator string ["Equal","Exists","Gt","Lt"]
struct core.v1.TopologySelectorLabelRequirement
 key 1 string required
 values 2 []string required listType=atomic
struct core.v1.TopologySelectorTerm mapType=atomic
 matchLabelExpressions 1 []core.v1.TopologySelectorLabelRequirement omitempty listType=atomic
struct core.v1.TopologySpreadConstraint
 maxSkew 1 int32 required
 topologyKey 2 string required
 whenUnsatisfiable 3 core.v1.UnsatisfiableConstraintAction required
 labelSelector 4 *meta.v1.LabelSelector omitempty
 minDomains 5 *int32 omitempty
 nodeAffinityPolicy 6 *core.v1.NodeInclusionPolicy omitempty
 nodeTaintsPolicy 7 *core.v1.NodeInclusionPolicy omitempty
 matchLabelKeys 8 []string omitempty listType=atomic
struct core.v1.TypedLocalObjectReference mapType=atomic
 apiGroup 1 *string
 kind 2 string required
 name 3 string required
struct core.v1.TypedObjectReference
 apiGroup 1 *string
 kind 2 string required
 name 3 string required
 namespace 4 *string omitempty
enum core.v1.URIScheme string ["HTTP","HTTPS"]
scalar core.v1.UniqueVolumeName string
enum core.v1.UnsatisfiableConstraintAction string ["DoNotSchedule","ScheduleAnyway"]
struct core.v1.Volume
 name 1 string required
 volumeSource 2 core.v1.VolumeSource inline
struct core.v1.VolumeDevice
 name 1 string required
 devicePath 2 string required
struct core.v1.VolumeMount
 name 1 string required
 readOnly 2 bool omitempty
 recursiveReadOnly 7 *core.v1.RecursiveReadOnlyMode omitempty
 mountPath 3 string required
 subPath 4 string omitempty
 mountPropagation 5 *core.v1.MountPropagationMode omitempty
 subPathExpr 6 string omitempty
struct core.v1.VolumeMountStatus
 name 1 string required
 mountPath 2 string required
 readOnly 3 bool omitempty
 recursiveReadOnly 4 *core.v1.RecursiveReadOnlyMode omitempty
 volumeStatus 5 *core.v1.VolumeStatus omitempty
struct core.v1.VolumeNodeAffinity
 required 1 *core.v1.NodeSelector omitempty
struct core.v1.VolumeProjection
 secret 1 *core.v1.SecretProjection omitempty
 downwardAPI 2 *core.v1.DownwardAPIProjection omitempty
 configMap 3 *core.v1.ConfigMapProjection omitempty
 serviceAccountToken 4 *core.v1.ServiceAccountTokenProjection omitempty
 clusterTrustBundle 5 *core.v1.ClusterTrustBundleProjection omitempty
 podCertificate 6 *core.v1.PodCertificateProjection omitempty
struct core.v1.VolumeResourceRequirements
 limits 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
 requests 2 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
struct core.v1.VolumeSource
 hostPath 1 *core.v1.HostPathVolumeSource omitempty
 emptyDir 2 *core.v1.EmptyDirVolumeSource omitempty
 gcePersistentDisk 3 *core.v1.GCEPersistentDiskVolumeSource omitempty
 awsElasticBlockStore 4 *core.v1.AWSElasticBlockStoreVolumeSource omitempty
 gitRepo 5 *core.v1.GitRepoVolumeSource omitempty
 secret 6 *core.v1.SecretVolumeSource omitempty
 nfs 7 *core.v1.NFSVolumeSource omitempty
 iscsi 8 *core.v1.ISCSIVolumeSource omitempty
 glusterfs 9 *core.v1.GlusterfsVolumeSource omitempty
 persistentVolumeClaim 10 *core.v1.PersistentVolumeClaimVolumeSource omitempty
 rbd 11 *core.v1.RBDVolumeSource omitempty
 flexVolume 12 *core.v1.FlexVolumeSource omitempty
 cinder 13 *core.v1.CinderVolumeSource omitempty
 cephfs 14 *core.v1.CephFSVolumeSource omitempty
 flocker 15 *core.v1.FlockerVolumeSource omitempty
 downwardAPI 16 *core.v1.DownwardAPIVolumeSource omitempty
 fc 17 *core.v1.FCVolumeSource omitempty
 azureFile 18 *core.v1.AzureFileVolumeSource omitempty
 configMap 19 *core.v1.ConfigMapVolumeSource omitempty
 vsphereVolume 20 *core.v1.VsphereVirtualDiskVolumeSource omitempty
 quobyte 21 *core.v1.QuobyteVolumeSource omitempty
 azureDisk 22 *core.v1.AzureDiskVolumeSource omitempty
 photonPersistentDisk 23 *core.v1.PhotonPersistentDiskVolumeSource omitempty
 projected 26 *core.v1.ProjectedVolumeSource omitempty
 portworxVolume 24 *core.v1.PortworxVolumeSource omitempty
 scaleIO 25 *core.v1.ScaleIOVolumeSource omitempty
 storageos 27 *core.v1.StorageOSVolumeSource omitempty
 csi 28 *core.v1.CSIVolumeSource omitempty
 ephemeral 29 *core.v1.EphemeralVolumeSource omitempty
 image 30 *core.v1.ImageVolumeSource omitempty
struct core.v1.VolumeStatus
 image 1 *core.v1.ImageVolumeStatus omitempty
struct core.v1.VsphereVirtualDiskVolumeSource
 volumePath 1 string required
 fsType 2 string omitempty
 storagePolicyName 3 string omitempty
 storagePolicyID 4 string omitempty
struct core.v1.WeightedPodAffinityTerm
 weight 1 int32 required
 podAffinityTerm 2 core.v1.PodAffinityTerm required
struct core.v1.WindowsSecurityContextOptions
 gmsaCredentialSpecName 1 *string omitempty
 gmsaCredentialSpec 2 *string omitempty
 runAsUserName 3 *string omitempty
 hostProcess 4 *bool omitempty
enum discovery.v1.AddressType string ["FQDN","IPv4","IPv6"]
struct discovery.v1.Endpoint
 addresses 1 []string required listType=set
 conditions 2 discovery.v1.EndpointConditions omitempty
 hostname 3 *string omitempty
 targetRef 4 *core.v1.ObjectReference omitempty
 deprecatedTopology 5 map[string]string omitempty
 nodeName 6 *string omitempty
 zone 7 *string omitempty
 hints 8 *discovery.v1.EndpointHints omitempty
struct discovery.v1.EndpointConditions
 ready 1 *bool omitempty
 serving 2 *bool omitempty
 terminating 3 *bool omitempty
struct discovery.v1.EndpointHints
 forZones 1 []discovery.v1.ForZone omitempty listType=atomic
 forNodes 2 []discovery.v1.ForNode omitempty listType=atomic
struct discovery.v1.EndpointPort mapType=atomic
 name 1 *string omitempty defaulted=""
 protocol 2 *core.v1.Protocol omitempty defaulted="TCP"
 port 3 *int32 omitempty
 appProtocol 4 *string omitempty
struct discovery.v1.EndpointSlice gvk=discovery.k8s.io/v1/EndpointSlice
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 addressType 4 discovery.v1.AddressType required
 endpoints 2 []discovery.v1.Endpoint listType=atomic
 ports 3 []discovery.v1.EndpointPort listType=atomic
struct discovery.v1.EndpointSliceList gvk=discovery.k8s.io/v1/EndpointSliceList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []discovery.v1.EndpointSlice required
struct discovery.v1.ForNode
 name 1 string required
struct discovery.v1.ForZone
 name 1 string required
struct events.v1.Event gvk=events.k8s.io/v1/Event
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta
 eventTime 2 meta.v1.MicroTime required
 series 3 *events.v1.EventSeries omitempty
 reportingController 4 string omitempty
 reportingInstance 5 string omitempty
 action 6 string omitempty
 reason 7 string omitempty
 regarding 8 core.v1.ObjectReference omitempty
 related 9 *core.v1.ObjectReference omitempty
 note 10 string omitempty
 type 11 string omitempty
 deprecatedSource 12 core.v1.EventSource omitempty
 deprecatedFirstTimestamp 13 meta.v1.Time omitempty
 deprecatedLastTimestamp 14 meta.v1.Time omitempty
 deprecatedCount 15 int32 omitempty
struct events.v1.EventList gvk=events.k8s.io/v1/EventList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []events.v1.Event required
struct events.v1.EventSeries
 count 1 int32 required
 lastObservedTime 2 meta.v1.MicroTime required
scalar flowcontrol.v1.ConditionStatus string ["False","True","Unknown"]
struct flowcontrol.v1.ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 *int32 omitempty defaulted=0
 lendablePercent 2 *int32 omitempty defaulted=0
struct flowcontrol.v1.FlowDistinguisherMethod
 type 1 flowcontrol.v1.FlowDistinguisherMethodType required
scalar flowcontrol.v1.FlowDistinguisherMethodType string ["ByNamespace","ByUser"]
struct flowcontrol.v1.FlowSchema gvk=flowcontrol.apiserver.k8s.io/v1/FlowSchema
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 flowcontrol.v1.FlowSchemaSpec omitempty
 status 3 flowcontrol.v1.FlowSchemaStatus omitempty
struct flowcontrol.v1.FlowSchemaCondition
 type 1 flowcontrol.v1.FlowSchemaConditionType omitempty
 status 2 flowcontrol.v1.ConditionStatus omitempty
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar flowcontrol.v1.FlowSchemaConditionType string
struct flowcontrol.v1.FlowSchemaList gvk=flowcontrol.apiserver.k8s.io/v1/FlowSchemaList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []flowcontrol.v1.FlowSchema required
struct flowcontrol.v1.FlowSchemaSpec
 priorityLevelConfiguration 1 flowcontrol.v1.PriorityLevelConfigurationReference required
 matchingPrecedence 2 int32 defaulted=1000
 distinguisherMethod 3 *flowcontrol.v1.FlowDistinguisherMethod omitempty
 rules 4 []flowcontrol.v1.PolicyRulesWithSubjects omitempty listType=atomic
struct flowcontrol.v1.FlowSchemaStatus
 conditions 1 []flowcontrol.v1.FlowSchemaCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct flowcontrol.v1.GroupSubject
 name 1 string required
struct flowcontrol.v1.LimitResponse unions=[{"discriminator":"type","fields":{"queuing":"Queuing"}}]
 type 1 flowcontrol.v1.LimitResponseType required
 queuing 2 *flowcontrol.v1.QueuingConfiguration omitempty
scalar flowcontrol.v1.LimitResponseType string ["Queue","Reject"]
struct flowcontrol.v1.LimitedPriorityLevelConfiguration
 nominalConcurrencyShares 1 *int32 defaulted=30
 limitResponse 2 flowcontrol.v1.LimitResponse omitempty
 lendablePercent 3 *int32 omitempty defaulted=0
 borrowingLimitPercent 4 *int32 omitempty
struct flowcontrol.v1.NonResourcePolicyRule
 verbs 1 []string required listType=set
 nonResourceURLs 6 []string required listType=set
struct flowcontrol.v1.PolicyRulesWithSubjects
 subjects 1 []flowcontrol.v1.Subject required listType=atomic
 resourceRules 2 []flowcontrol.v1.ResourcePolicyRule omitempty listType=atomic
 nonResourceRules 3 []flowcontrol.v1.NonResourcePolicyRule omitempty listType=atomic
struct flowcontrol.v1.PriorityLevelConfiguration gvk=flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 flowcontrol.v1.PriorityLevelConfigurationSpec omitempty
 status 3 flowcontrol.v1.PriorityLevelConfigurationStatus omitempty
struct flowcontrol.v1.PriorityLevelConfigurationCondition
 type 1 flowcontrol.v1.PriorityLevelConfigurationConditionType omitempty
 status 2 flowcontrol.v1.ConditionStatus omitempty
 lastTransitionTime 3 meta.v1.Time omitempty
 reason 4 string omitempty
 message 5 string omitempty
scalar flowcontrol.v1.PriorityLevelConfigurationConditionType string
struct flowcontrol.v1.PriorityLevelConfigurationList gvk=flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfigurationList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []flowcontrol.v1.PriorityLevelConfiguration required
struct flowcontrol.v1.PriorityLevelConfigurationReference
 name 1 string required
struct flowcontrol.v1.PriorityLevelConfigurationSpec unions=[{"discriminator":"type","fields":{"exempt":"Exempt","limited":"Limited"}}]
 type 1 flowcontrol.v1.PriorityLevelEnablement required
 limited 2 *flowcontrol.v1.LimitedPriorityLevelConfiguration omitempty
 exempt 3 *flowcontrol.v1.ExemptPriorityLevelConfiguration omitempty
struct flowcontrol.v1.PriorityLevelConfigurationStatus
 conditions 1 []flowcontrol.v1.PriorityLevelConfigurationCondition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
scalar flowcontrol.v1.PriorityLevelEnablement string ["Exempt","Limited"]
struct flowcontrol.v1.QueuingConfiguration
 queues 1 int32 defaulted=64
 handSize 2 int32 defaulted=8
 queueLengthLimit 3 int32 defaulted=50
struct flowcontrol.v1.ResourcePolicyRule
 verbs 1 []string required listType=set
 apiGroups 2 []string required listType=set
 resources 3 []string required listType=set
 clusterScope 4 bool omitempty
 namespaces 5 []string listType=set
struct flowcontrol.v1.ServiceAccountSubject
 namespace 1 string required
 name 2 string required
struct flowcontrol.v1.Subject unions=[{"discriminator":"kind","fields":{"group":"Group","serviceAccount":"ServiceAccount","user":"User"}}]
 kind 1 flowcontrol.v1.SubjectKind required
 user 2 *flowcontrol.v1.UserSubject omitempty
 group 3 *flowcontrol.v1.GroupSubject omitempty
 serviceAccount 4 *flowcontrol.v1.ServiceAccountSubject omitempty
scalar flowcontrol.v1.SubjectKind string ["Group","ServiceAccount","User"]
struct flowcontrol.v1.UserSubject
 name 1 string required
encoded machinery.api.resource.Quantity quantity
 string 1 string
scalar machinery.runtime.Object any
encoded machinery.runtime.RawExtension rawExtension
 raw 1 bytes
struct machinery.runtime.TypeMeta
 apiVersion 1 string omitempty
 kind 2 string omitempty
encoded machinery.runtime.Unknown unknown
 typeMeta 1 machinery.runtime.TypeMeta
 raw 2 bytes
 contentEncoding 3 string
 contentType 4 string
scalar machinery.types.UID string
encoded machinery.util.intstr.IntOrString intOrString
 type 1 int64
 intVal 2 int32
 strVal 3 string
scalar machinery.util.intstr.Type int64
struct machinery.version.Info jsonOnly
 buildDate - string required
 compiler - string required
 emulationMajor - string omitempty
 emulationMinor - string omitempty
 gitCommit - string required
 gitTreeState - string required
 gitVersion - string required
 goVersion - string required
 major - string required
 minCompatibilityMajor - string omitempty
 minCompatibilityMinor - string omitempty
 minor - string required
 platform - string required
struct meta.v1.APIGroup gvk=/v1/APIGroup
 TypeMeta - meta.v1.TypeMeta inline
 name 1 string required
 versions 2 []meta.v1.GroupVersionForDiscovery required listType=atomic
 preferredVersion 3 meta.v1.GroupVersionForDiscovery omitempty
 serverAddressByClientCIDRs 4 []meta.v1.ServerAddressByClientCIDR omitempty listType=atomic
struct meta.v1.APIGroupList gvk=/v1/APIGroupList
 TypeMeta - meta.v1.TypeMeta inline
 groups 1 []meta.v1.APIGroup required listType=atomic
struct meta.v1.APIResource
 name 1 string required
 singularName 6 string required
 namespaced 2 bool required
 group 8 string omitempty
 version 9 string omitempty
 kind 3 string required
 verbs 4 meta.v1.Verbs required
 shortNames 5 []string omitempty listType=atomic
 categories 7 []string omitempty listType=atomic
 storageVersionHash 10 string omitempty
struct meta.v1.APIResourceList gvk=/v1/APIResourceList
 TypeMeta - meta.v1.TypeMeta inline
 groupVersion 1 string required
 resources 2 []meta.v1.APIResource required listType=atomic
struct meta.v1.APIVersions gvk=/v1/APIVersions
 TypeMeta - meta.v1.TypeMeta inline
 versions 1 []string required listType=atomic
 serverAddressByClientCIDRs 2 []meta.v1.ServerAddressByClientCIDR required listType=atomic
struct meta.v1.ApplyOptions
 TypeMeta - meta.v1.TypeMeta inline
 dryRun 1 []string omitempty listType=atomic
 force 2 bool required
 fieldManager 3 string required
scalar meta.v1.CauseType string ["FieldManagerConflict","FieldValueDuplicate","FieldValueForbidden","FieldValueInvalid","FieldValueNotFound","FieldValueNotSupported","FieldValueRequired","FieldValueTooLong","FieldValueTooMany","FieldValueTypeInvalid","InternalError","ResourceVersionTooLarge","UnexpectedServerResponse"]
struct meta.v1.Condition
 type 1 string required
 status 2 meta.v1.ConditionStatus required
 observedGeneration 3 int64 omitempty
 lastTransitionTime 4 meta.v1.Time required
 reason 5 string required
 message 6 string required
scalar meta.v1.ConditionStatus string ["False","True","Unknown"]
struct meta.v1.CreateOptions gvk=/v1/CreateOptions,admission.k8s.io/v1/CreateOptions,admissionregistration.k8s.io/v1/CreateOptions,apidiscovery.k8s.io/v2/CreateOptions,apidiscovery.k8s.io/v2beta1/CreateOptions,apiextensions.k8s.io/v1/CreateOptions,apiregistration.k8s.io/v1/CreateOptions,apps/v1/CreateOptions,authentication.k8s.io/v1/CreateOptions,authorization.k8s.io/v1/CreateOptions,autoscaling/v1/CreateOptions,autoscaling/v2/CreateOptions,batch/v1/CreateOptions,certificates.k8s.io/v1/CreateOptions,coordination.k8s.io/v1/CreateOptions,discovery.k8s.io/v1/CreateOptions,events.k8s.io/v1/CreateOptions,flowcontrol.apiserver.k8s.io/v1/CreateOptions,metrics.k8s.io/v1beta1/CreateOptions,networking.k8s.io/v1/CreateOptions,node.k8s.io/v1/CreateOptions,policy/v1/CreateOptions,rbac.authorization.k8s.io/v1/CreateOptions,resource.k8s.io/v1/CreateOptions,scheduling.k8s.io/v1/CreateOptions,storage.k8s.io/v1/CreateOptions
 TypeMeta - meta.v1.TypeMeta inline
 dryRun 1 []string omitempty listType=atomic
 fieldManager 3 string omitempty
 fieldValidation 4 string omitempty
struct meta.v1.DeleteOptions gvk=/v1/DeleteOptions,admission.k8s.io/v1/DeleteOptions,admissionregistration.k8s.io/v1/DeleteOptions,apidiscovery.k8s.io/v2/DeleteOptions,apidiscovery.k8s.io/v2beta1/DeleteOptions,apiextensions.k8s.io/v1/DeleteOptions,apiregistration.k8s.io/v1/DeleteOptions,apps/v1/DeleteOptions,authentication.k8s.io/v1/DeleteOptions,authorization.k8s.io/v1/DeleteOptions,autoscaling/v1/DeleteOptions,autoscaling/v2/DeleteOptions,batch/v1/DeleteOptions,certificates.k8s.io/v1/DeleteOptions,coordination.k8s.io/v1/DeleteOptions,discovery.k8s.io/v1/DeleteOptions,events.k8s.io/v1/DeleteOptions,flowcontrol.apiserver.k8s.io/v1/DeleteOptions,metrics.k8s.io/v1beta1/DeleteOptions,networking.k8s.io/v1/DeleteOptions,node.k8s.io/v1/DeleteOptions,policy/v1/DeleteOptions,rbac.authorization.k8s.io/v1/DeleteOptions,resource.k8s.io/v1/DeleteOptions,scheduling.k8s.io/v1/DeleteOptions,storage.k8s.io/v1/DeleteOptions
 TypeMeta - meta.v1.TypeMeta inline
 gracePeriodSeconds 1 *int64 omitempty
 preconditions 2 *meta.v1.Preconditions omitempty
 orphanDependents 3 *bool omitempty
 propagationPolicy 4 *meta.v1.DeletionPropagation omitempty
 dryRun 5 []string omitempty listType=atomic
 ignoreStoreReadErrorWithClusterBreakingPotential 6 *bool omitempty
scalar meta.v1.DeletionPropagation string ["Background","Foreground","Orphan"]
encoded meta.v1.Duration duration
 duration 1 int64
scalar meta.v1.FieldSelectorOperator string ["DoesNotExist","Exists","In","NotIn"]
struct meta.v1.FieldSelectorRequirement
 key 1 string required
 operator 2 meta.v1.FieldSelectorOperator required
 values 3 []string omitempty listType=atomic
encoded meta.v1.FieldsV1 fieldsV1
 Raw 1 bytes
struct meta.v1.GetOptions gvk=/v1/GetOptions,admission.k8s.io/v1/GetOptions,admissionregistration.k8s.io/v1/GetOptions,apidiscovery.k8s.io/v2/GetOptions,apidiscovery.k8s.io/v2beta1/GetOptions,apiextensions.k8s.io/v1/GetOptions,apiregistration.k8s.io/v1/GetOptions,apps/v1/GetOptions,authentication.k8s.io/v1/GetOptions,authorization.k8s.io/v1/GetOptions,autoscaling/v1/GetOptions,autoscaling/v2/GetOptions,batch/v1/GetOptions,certificates.k8s.io/v1/GetOptions,coordination.k8s.io/v1/GetOptions,discovery.k8s.io/v1/GetOptions,events.k8s.io/v1/GetOptions,flowcontrol.apiserver.k8s.io/v1/GetOptions,metrics.k8s.io/v1beta1/GetOptions,networking.k8s.io/v1/GetOptions,node.k8s.io/v1/GetOptions,policy/v1/GetOptions,rbac.authorization.k8s.io/v1/GetOptions,resource.k8s.io/v1/GetOptions,scheduling.k8s.io/v1/GetOptions,storage.k8s.io/v1/GetOptions
 TypeMeta - meta.v1.TypeMeta inline
 resourceVersion 1 string omitempty
struct meta.v1.GroupKind
 group 1 string required
 kind 2 string required
struct meta.v1.GroupResource
 group 1 string required
 resource 2 string required
encoded meta.v1.GroupVersion groupVersion
 group 1 string
 version 2 string
struct meta.v1.GroupVersionForDiscovery
 groupVersion 1 string required
 version 2 string required
struct meta.v1.GroupVersionKind
 group 1 string required
 version 2 string required
 kind 3 string required
struct meta.v1.GroupVersionResource
 group 1 string required
 version 2 string required
 resource 3 string required
scalar meta.v1.IncludeObjectPolicy string ["Metadata","None","Object"]
struct meta.v1.LabelSelector mapType=atomic
 matchLabels 1 map[string]string omitempty
 matchExpressions 2 []meta.v1.LabelSelectorRequirement omitempty listType=atomic
scalar meta.v1.LabelSelectorOperator string ["DoesNotExist","Exists","In","NotIn"]
struct meta.v1.LabelSelectorRequirement
 key 1 string required
 operator 2 meta.v1.LabelSelectorOperator required
 values 3 []string omitempty listType=atomic
struct meta.v1.List
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []machinery.runtime.RawExtension required
struct meta.v1.ListMeta
 selfLink 1 string omitempty
 resourceVersion 2 string omitempty
 continue 3 string omitempty
 remainingItemCount 4 *int64 omitempty
 shardInfo 5 *meta.v1.ShardInfo omitempty
struct meta.v1.ListOptions gvk=/v1/ListOptions,admission.k8s.io/v1/ListOptions,admissionregistration.k8s.io/v1/ListOptions,apidiscovery.k8s.io/v2/ListOptions,apidiscovery.k8s.io/v2beta1/ListOptions,apiextensions.k8s.io/v1/ListOptions,apiregistration.k8s.io/v1/ListOptions,apps/v1/ListOptions,authentication.k8s.io/v1/ListOptions,authorization.k8s.io/v1/ListOptions,autoscaling/v1/ListOptions,autoscaling/v2/ListOptions,batch/v1/ListOptions,certificates.k8s.io/v1/ListOptions,coordination.k8s.io/v1/ListOptions,discovery.k8s.io/v1/ListOptions,events.k8s.io/v1/ListOptions,flowcontrol.apiserver.k8s.io/v1/ListOptions,metrics.k8s.io/v1beta1/ListOptions,networking.k8s.io/v1/ListOptions,node.k8s.io/v1/ListOptions,policy/v1/ListOptions,rbac.authorization.k8s.io/v1/ListOptions,resource.k8s.io/v1/ListOptions,scheduling.k8s.io/v1/ListOptions,storage.k8s.io/v1/ListOptions
 TypeMeta - meta.v1.TypeMeta inline
 labelSelector 1 string omitempty
 fieldSelector 2 string omitempty
 watch 3 bool omitempty
 allowWatchBookmarks 9 bool omitempty
 resourceVersion 4 string omitempty
 resourceVersionMatch 10 meta.v1.ResourceVersionMatch omitempty
 timeoutSeconds 5 *int64 omitempty
 limit 7 int64 omitempty
 continue 8 string omitempty
 sendInitialEvents 11 *bool omitempty
 shardSelector 15 string omitempty
struct meta.v1.ManagedFieldsEntry
 manager 1 string omitempty
 operation 2 meta.v1.ManagedFieldsOperationType omitempty
 apiVersion 3 string omitempty
 time 4 *meta.v1.Time omitempty
 fieldsType 6 string omitempty
 fieldsV1 7 *meta.v1.FieldsV1 omitempty
 subresource 8 string omitempty
scalar meta.v1.ManagedFieldsOperationType string ["Apply","Update"]
encoded meta.v1.MicroTime microTime
 seconds 1 int64
 nanos 2 int32
struct meta.v1.ObjectMeta
 name 1 string omitempty
 generateName 2 string omitempty
 namespace 3 string omitempty
 selfLink 4 string omitempty
 uid 5 machinery.types.UID omitempty
 resourceVersion 6 string omitempty
 generation 7 int64 omitempty
 creationTimestamp 8 meta.v1.Time omitempty omitzero
 deletionTimestamp 9 *meta.v1.Time omitempty
 deletionGracePeriodSeconds 10 *int64 omitempty
 labels 11 map[string]string omitempty
 annotations 12 map[string]string omitempty
 ownerReferences 13 []meta.v1.OwnerReference omitempty patchStrategy=merge patchMergeKey=uid listType=map listMapKeys=uid
 finalizers 14 []string omitempty patchStrategy=merge listType=set
 managedFields 17 []meta.v1.ManagedFieldsEntry omitempty listType=atomic
struct meta.v1.OwnerReference mapType=atomic
 apiVersion 5 string required
 kind 1 string required
 name 3 string required
 uid 4 machinery.types.UID required
 controller 6 *bool omitempty
 blockOwnerDeletion 7 *bool omitempty
struct meta.v1.PartialObjectMetadata gvk=meta.k8s.io/v1/PartialObjectMetadata
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
struct meta.v1.PartialObjectMetadataList gvk=meta.k8s.io/v1/PartialObjectMetadataList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []meta.v1.PartialObjectMetadata required
struct meta.v1.Patch
struct meta.v1.PatchOptions gvk=/v1/PatchOptions,admission.k8s.io/v1/PatchOptions,admissionregistration.k8s.io/v1/PatchOptions,apidiscovery.k8s.io/v2/PatchOptions,apidiscovery.k8s.io/v2beta1/PatchOptions,apiextensions.k8s.io/v1/PatchOptions,apiregistration.k8s.io/v1/PatchOptions,apps/v1/PatchOptions,authentication.k8s.io/v1/PatchOptions,authorization.k8s.io/v1/PatchOptions,autoscaling/v1/PatchOptions,autoscaling/v2/PatchOptions,batch/v1/PatchOptions,certificates.k8s.io/v1/PatchOptions,coordination.k8s.io/v1/PatchOptions,discovery.k8s.io/v1/PatchOptions,events.k8s.io/v1/PatchOptions,flowcontrol.apiserver.k8s.io/v1/PatchOptions,metrics.k8s.io/v1beta1/PatchOptions,networking.k8s.io/v1/PatchOptions,node.k8s.io/v1/PatchOptions,policy/v1/PatchOptions,rbac.authorization.k8s.io/v1/PatchOptions,resource.k8s.io/v1/PatchOptions,scheduling.k8s.io/v1/PatchOptions,storage.k8s.io/v1/PatchOptions
 TypeMeta - meta.v1.TypeMeta inline
 dryRun 1 []string omitempty listType=atomic
 force 2 *bool omitempty
 fieldManager 3 string omitempty
 fieldValidation 4 string omitempty
struct meta.v1.Preconditions
 uid 1 *machinery.types.UID omitempty
 resourceVersion 2 *string omitempty
scalar meta.v1.ResourceVersionMatch string ["Exact","NotOlderThan"]
struct meta.v1.RootPaths
 paths 1 []string required listType=atomic
scalar meta.v1.RowConditionType string ["Completed"]
struct meta.v1.ServerAddressByClientCIDR
 clientCIDR 1 string required
 serverAddress 2 string required
struct meta.v1.ShardInfo
 selector 1 string required
struct meta.v1.Status gvk=/v1/Status
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 status 2 string omitempty
 message 3 string omitempty
 reason 4 meta.v1.StatusReason omitempty
 details 5 *meta.v1.StatusDetails omitempty
 code 6 int32 omitempty
struct meta.v1.StatusCause
 reason 1 meta.v1.CauseType omitempty
 message 2 string omitempty
 field 3 string omitempty
struct meta.v1.StatusDetails
 name 1 string omitempty
 group 2 string omitempty
 kind 3 string omitempty
 uid 6 machinery.types.UID omitempty
 causes 4 []meta.v1.StatusCause omitempty listType=atomic
 retryAfterSeconds 5 int32 omitempty
scalar meta.v1.StatusReason string ["","AlreadyExists","BadRequest","Conflict","Expired","Forbidden","Gone","InternalError","Invalid","MethodNotAllowed","NotAcceptable","NotFound","RequestEntityTooLarge","ServerTimeout","ServiceUnavailable","StorageReadError","Timeout","TooManyRequests","Unauthorized","UnsupportedMediaType"]
struct meta.v1.Table gvk=meta.k8s.io/v1/Table jsonOnly
 TypeMeta - meta.v1.TypeMeta inline
 columnDefinitions - []meta.v1.TableColumnDefinition required listType=atomic
 metadata - meta.v1.ListMeta omitempty
 rows - []meta.v1.TableRow required listType=atomic
struct meta.v1.TableColumnDefinition jsonOnly
 description - string required
 format - string required
 name - string required
 priority - int32 required
 type - string required
struct meta.v1.TableOptions gvk=meta.k8s.io/v1/TableOptions
 TypeMeta - meta.v1.TypeMeta inline
 includeObject 1 meta.v1.IncludeObjectPolicy omitempty
struct meta.v1.TableRow jsonOnly
 cells - []any required listType=atomic
 conditions - []meta.v1.TableRowCondition omitempty listType=atomic
 object - machinery.runtime.RawExtension omitempty
struct meta.v1.TableRowCondition jsonOnly
 message - string omitempty
 reason - string omitempty
 status - meta.v1.ConditionStatus required
 type - meta.v1.RowConditionType required
encoded meta.v1.Time time
 seconds 1 int64
 nanos 2 int32
struct meta.v1.Timestamp
 seconds 1 int64 required
 nanos 2 int32 required
struct meta.v1.TypeMeta
 kind 1 string omitempty
 apiVersion 2 string omitempty
struct meta.v1.UpdateOptions gvk=/v1/UpdateOptions,admission.k8s.io/v1/UpdateOptions,admissionregistration.k8s.io/v1/UpdateOptions,apidiscovery.k8s.io/v2/UpdateOptions,apidiscovery.k8s.io/v2beta1/UpdateOptions,apiextensions.k8s.io/v1/UpdateOptions,apiregistration.k8s.io/v1/UpdateOptions,apps/v1/UpdateOptions,authentication.k8s.io/v1/UpdateOptions,authorization.k8s.io/v1/UpdateOptions,autoscaling/v1/UpdateOptions,autoscaling/v2/UpdateOptions,batch/v1/UpdateOptions,certificates.k8s.io/v1/UpdateOptions,coordination.k8s.io/v1/UpdateOptions,discovery.k8s.io/v1/UpdateOptions,events.k8s.io/v1/UpdateOptions,flowcontrol.apiserver.k8s.io/v1/UpdateOptions,metrics.k8s.io/v1beta1/UpdateOptions,networking.k8s.io/v1/UpdateOptions,node.k8s.io/v1/UpdateOptions,policy/v1/UpdateOptions,rbac.authorization.k8s.io/v1/UpdateOptions,resource.k8s.io/v1/UpdateOptions,scheduling.k8s.io/v1/UpdateOptions,storage.k8s.io/v1/UpdateOptions
 TypeMeta - meta.v1.TypeMeta inline
 dryRun 1 []string omitempty listType=atomic
 fieldManager 2 string omitempty
 fieldValidation 3 string omitempty
encoded meta.v1.Verbs items
 items 1 []string
struct meta.v1.WatchEvent gvk=/v1/WatchEvent,admission.k8s.io/v1/WatchEvent,admissionregistration.k8s.io/v1/WatchEvent,apidiscovery.k8s.io/v2/WatchEvent,apidiscovery.k8s.io/v2beta1/WatchEvent,apiextensions.k8s.io/v1/WatchEvent,apiregistration.k8s.io/v1/WatchEvent,apps/v1/WatchEvent,authentication.k8s.io/v1/WatchEvent,authorization.k8s.io/v1/WatchEvent,autoscaling/v1/WatchEvent,autoscaling/v2/WatchEvent,batch/v1/WatchEvent,certificates.k8s.io/v1/WatchEvent,coordination.k8s.io/v1/WatchEvent,discovery.k8s.io/v1/WatchEvent,events.k8s.io/v1/WatchEvent,flowcontrol.apiserver.k8s.io/v1/WatchEvent,metrics.k8s.io/v1beta1/WatchEvent,networking.k8s.io/v1/WatchEvent,node.k8s.io/v1/WatchEvent,policy/v1/WatchEvent,rbac.authorization.k8s.io/v1/WatchEvent,resource.k8s.io/v1/WatchEvent,scheduling.k8s.io/v1/WatchEvent,storage.k8s.io/v1/WatchEvent
 type 1 string required
 object 2 machinery.runtime.RawExtension required
struct metrics.v1beta1.ContainerMetrics
 name 1 string required
 usage 2 map[core.v1.ResourceName]machinery.api.resource.Quantity required alias=core.v1.ResourceList
struct metrics.v1beta1.NodeMetrics gvk=metrics.k8s.io/v1beta1/NodeMetrics
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 timestamp 2 meta.v1.Time required
 window 3 meta.v1.Duration required
 usage 4 map[core.v1.ResourceName]machinery.api.resource.Quantity required alias=core.v1.ResourceList
struct metrics.v1beta1.NodeMetricsList gvk=metrics.k8s.io/v1beta1/NodeMetricsList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []metrics.v1beta1.NodeMetrics required
struct metrics.v1beta1.PodMetrics gvk=metrics.k8s.io/v1beta1/PodMetrics
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 timestamp 2 meta.v1.Time required
 window 3 meta.v1.Duration required
 containers 4 []metrics.v1beta1.ContainerMetrics required listType=atomic
struct metrics.v1beta1.PodMetricsList gvk=metrics.k8s.io/v1beta1/PodMetricsList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []metrics.v1beta1.PodMetrics required
struct networking.v1.HTTPIngressPath
 path 1 string omitempty
 pathType 3 *networking.v1.PathType required
 backend 2 networking.v1.IngressBackend required
struct networking.v1.HTTPIngressRuleValue
 paths 1 []networking.v1.HTTPIngressPath required listType=atomic
struct networking.v1.IPAddress gvk=networking.k8s.io/v1/IPAddress
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 networking.v1.IPAddressSpec required omitempty
struct networking.v1.IPAddressList gvk=networking.k8s.io/v1/IPAddressList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []networking.v1.IPAddress required
struct networking.v1.IPAddressSpec
 parentRef 1 *networking.v1.ParentReference required omitempty
struct networking.v1.IPBlock
 cidr 1 string required
 except 2 []string omitempty listType=atomic
struct networking.v1.Ingress gvk=networking.k8s.io/v1/Ingress
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 networking.v1.IngressSpec omitempty
 status 3 networking.v1.IngressStatus omitempty
struct networking.v1.IngressBackend
 service 4 *networking.v1.IngressServiceBackend omitempty
 resource 3 *core.v1.TypedLocalObjectReference omitempty
struct networking.v1.IngressClass gvk=networking.k8s.io/v1/IngressClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 networking.v1.IngressClassSpec omitempty
struct networking.v1.IngressClassList gvk=networking.k8s.io/v1/IngressClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []networking.v1.IngressClass required
struct networking.v1.IngressClassParametersReference
 apiGroup 1 *string omitempty proto=aPIGroup
 kind 2 string required
 name 3 string required
 scope 4 *string defaulted="Cluster"
 namespace 5 *string omitempty
struct networking.v1.IngressClassSpec
 controller 1 string omitempty
 parameters 2 *networking.v1.IngressClassParametersReference omitempty
struct networking.v1.IngressList gvk=networking.k8s.io/v1/IngressList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []networking.v1.Ingress required
struct networking.v1.IngressLoadBalancerIngress
 ip 1 string omitempty
 hostname 2 string omitempty
 ports 4 []networking.v1.IngressPortStatus omitempty listType=atomic
struct networking.v1.IngressLoadBalancerStatus
 ingress 1 []networking.v1.IngressLoadBalancerIngress omitempty listType=atomic
struct networking.v1.IngressPortStatus
 port 1 int32 required
 protocol 2 core.v1.Protocol required
 error 3 *string omitempty
struct networking.v1.IngressRule
 host 1 string omitempty
 ingressRuleValue 2 networking.v1.IngressRuleValue inline
struct networking.v1.IngressRuleValue
 http 1 *networking.v1.HTTPIngressRuleValue omitempty
struct networking.v1.IngressServiceBackend
 name 1 string required
 port 2 networking.v1.ServiceBackendPort omitempty
struct networking.v1.IngressSpec
 ingressClassName 4 *string omitempty
 defaultBackend 1 *networking.v1.IngressBackend omitempty
 tls 2 []networking.v1.IngressTLS omitempty listType=atomic
 rules 3 []networking.v1.IngressRule omitempty listType=atomic
struct networking.v1.IngressStatus
 loadBalancer 1 networking.v1.IngressLoadBalancerStatus omitempty
struct networking.v1.IngressTLS
 hosts 1 []string omitempty listType=atomic
 secretName 2 string omitempty
struct networking.v1.NetworkPolicy gvk=networking.k8s.io/v1/NetworkPolicy
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 networking.v1.NetworkPolicySpec omitempty
struct networking.v1.NetworkPolicyEgressRule
 ports 1 []networking.v1.NetworkPolicyPort omitempty listType=atomic
 to 2 []networking.v1.NetworkPolicyPeer omitempty listType=atomic
struct networking.v1.NetworkPolicyIngressRule
 ports 1 []networking.v1.NetworkPolicyPort omitempty listType=atomic
 from 2 []networking.v1.NetworkPolicyPeer omitempty listType=atomic
struct networking.v1.NetworkPolicyList gvk=networking.k8s.io/v1/NetworkPolicyList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []networking.v1.NetworkPolicy required
struct networking.v1.NetworkPolicyPeer
 podSelector 1 *meta.v1.LabelSelector omitempty
 namespaceSelector 2 *meta.v1.LabelSelector omitempty
 ipBlock 3 *networking.v1.IPBlock omitempty
struct networking.v1.NetworkPolicyPort
 protocol 1 *core.v1.Protocol omitempty defaulted="TCP"
 port 2 *machinery.util.intstr.IntOrString omitempty
 endPort 3 *int32 omitempty
struct networking.v1.NetworkPolicySpec
 podSelector 1 meta.v1.LabelSelector
 ingress 2 []networking.v1.NetworkPolicyIngressRule omitempty listType=atomic
 egress 3 []networking.v1.NetworkPolicyEgressRule omitempty listType=atomic
 policyTypes 4 []networking.v1.PolicyType omitempty listType=atomic
struct networking.v1.ParentReference
 group 1 string omitempty
 resource 2 string required omitempty
 namespace 3 string omitempty
 name 4 string required omitempty
enum networking.v1.PathType string ["Exact","ImplementationSpecific","Prefix"]
enum networking.v1.PolicyType string ["Egress","Ingress"]
struct networking.v1.ServiceBackendPort mapType=atomic
 name 1 string omitempty
 number 2 int32 omitempty
struct networking.v1.ServiceCIDR gvk=networking.k8s.io/v1/ServiceCIDR
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 networking.v1.ServiceCIDRSpec omitempty
 status 3 networking.v1.ServiceCIDRStatus omitempty
struct networking.v1.ServiceCIDRList gvk=networking.k8s.io/v1/ServiceCIDRList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []networking.v1.ServiceCIDR required
struct networking.v1.ServiceCIDRSpec
 cidrs 1 []string omitempty listType=atomic
struct networking.v1.ServiceCIDRStatus
 conditions 1 []meta.v1.Condition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
struct node.v1.Overhead
 podFixed 1 map[core.v1.ResourceName]machinery.api.resource.Quantity omitempty alias=core.v1.ResourceList
struct node.v1.RuntimeClass gvk=node.k8s.io/v1/RuntimeClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 handler 2 string required
 overhead 3 *node.v1.Overhead omitempty
 scheduling 4 *node.v1.Scheduling omitempty
struct node.v1.RuntimeClassList gvk=node.k8s.io/v1/RuntimeClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []node.v1.RuntimeClass required
struct node.v1.Scheduling
 nodeSelector 1 map[string]string omitempty mapType=atomic
 tolerations 2 []core.v1.Toleration omitempty listType=atomic
struct policy.v1.Eviction gvk=policy/v1/Eviction
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 deleteOptions 2 *meta.v1.DeleteOptions omitempty
struct policy.v1.PodDisruptionBudget gvk=policy/v1/PodDisruptionBudget
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 policy.v1.PodDisruptionBudgetSpec omitempty
 status 3 policy.v1.PodDisruptionBudgetStatus omitempty
struct policy.v1.PodDisruptionBudgetList gvk=policy/v1/PodDisruptionBudgetList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []policy.v1.PodDisruptionBudget required
struct policy.v1.PodDisruptionBudgetSpec
 minAvailable 1 *machinery.util.intstr.IntOrString omitempty
 selector 2 *meta.v1.LabelSelector omitempty patchStrategy=replace
 maxUnavailable 3 *machinery.util.intstr.IntOrString omitempty
 unhealthyPodEvictionPolicy 4 *policy.v1.UnhealthyPodEvictionPolicyType omitempty
struct policy.v1.PodDisruptionBudgetStatus
 observedGeneration 1 int64 omitempty
 disruptedPods 2 map[string]meta.v1.Time omitempty
 disruptionsAllowed 3 int32
 currentHealthy 4 int32
 desiredHealthy 5 int32
 expectedPods 6 int32
 conditions 7 []meta.v1.Condition omitempty patchStrategy=merge patchMergeKey=type listType=map listMapKeys=type
enum policy.v1.UnhealthyPodEvictionPolicyType string ["AlwaysAllow","IfHealthyBudget"]
struct rbac.v1.AggregationRule
 clusterRoleSelectors 1 []meta.v1.LabelSelector omitempty listType=atomic
struct rbac.v1.ClusterRole gvk=rbac.authorization.k8s.io/v1/ClusterRole
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 rules 2 []rbac.v1.PolicyRule listType=atomic
 aggregationRule 3 *rbac.v1.AggregationRule omitempty
struct rbac.v1.ClusterRoleBinding gvk=rbac.authorization.k8s.io/v1/ClusterRoleBinding
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 subjects 2 []rbac.v1.Subject omitempty listType=atomic
 roleRef 3 rbac.v1.RoleRef required
struct rbac.v1.ClusterRoleBindingList gvk=rbac.authorization.k8s.io/v1/ClusterRoleBindingList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []rbac.v1.ClusterRoleBinding required
struct rbac.v1.ClusterRoleList gvk=rbac.authorization.k8s.io/v1/ClusterRoleList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []rbac.v1.ClusterRole required
struct rbac.v1.PolicyRule
 verbs 1 []string required listType=atomic
 apiGroups 2 []string omitempty listType=atomic
 resources 3 []string omitempty listType=atomic
 resourceNames 4 []string omitempty listType=atomic
 nonResourceURLs 5 []string omitempty listType=atomic
struct rbac.v1.Role gvk=rbac.authorization.k8s.io/v1/Role
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 rules 2 []rbac.v1.PolicyRule listType=atomic
struct rbac.v1.RoleBinding gvk=rbac.authorization.k8s.io/v1/RoleBinding
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 subjects 2 []rbac.v1.Subject omitempty listType=atomic
 roleRef 3 rbac.v1.RoleRef required
struct rbac.v1.RoleBindingList gvk=rbac.authorization.k8s.io/v1/RoleBindingList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []rbac.v1.RoleBinding required
struct rbac.v1.RoleList gvk=rbac.authorization.k8s.io/v1/RoleList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []rbac.v1.Role required
struct rbac.v1.RoleRef mapType=atomic
 apiGroup 1 string defaulted="rbac.authorization.k8s.io"
 kind 2 string required
 name 3 string required
struct rbac.v1.Subject mapType=atomic
 kind 1 string required
 apiGroup 2 string omitempty
 name 3 string required
 namespace 4 string omitempty
struct resource.v1.AllocatedDeviceStatus
 driver 1 string required
 pool 2 string required
 device 3 string required
 shareID 7 *string omitempty
 conditions 4 []meta.v1.Condition listType=map listMapKeys=type
 data 5 *machinery.runtime.RawExtension omitempty
 networkData 6 *resource.v1.NetworkDeviceData omitempty
enum resource.v1.AllocationConfigSource string ["FromClaim","FromClass"]
struct resource.v1.AllocationResult
 devices 1 resource.v1.DeviceAllocationResult omitempty
 nodeSelector 3 *core.v1.NodeSelector omitempty
 allocationTimestamp 5 *meta.v1.Time omitempty
struct resource.v1.CELDeviceSelector
 expression 1 string required
struct resource.v1.CapacityRequestPolicy
 default 1 *machinery.api.resource.Quantity
 validValues 3 []machinery.api.resource.Quantity omitempty listType=atomic
 validRange 4 *resource.v1.CapacityRequestPolicyRange omitempty
struct resource.v1.CapacityRequestPolicyRange
 min 1 *machinery.api.resource.Quantity required omitempty
 max 2 *machinery.api.resource.Quantity omitempty
 step 3 *machinery.api.resource.Quantity omitempty
struct resource.v1.CapacityRequirements
 requests 1 map[resource.v1.QualifiedName]machinery.api.resource.Quantity omitempty
struct resource.v1.Counter
 value 1 machinery.api.resource.Quantity required
struct resource.v1.CounterSet
 name 1 string required
 counters 2 map[string]resource.v1.Counter required omitempty
struct resource.v1.Device
 name 1 string required
 attributes 2 map[resource.v1.QualifiedName]resource.v1.DeviceAttribute omitempty
 capacity 3 map[resource.v1.QualifiedName]resource.v1.DeviceCapacity omitempty
 consumesCounters 4 []resource.v1.DeviceCounterConsumption omitempty listType=atomic
 nodeName 5 *string omitempty
 nodeSelector 6 *core.v1.NodeSelector omitempty
 allNodes 7 *bool omitempty
 taints 8 []resource.v1.DeviceTaint omitempty listType=atomic
 bindsToNode 9 *bool omitempty
 bindingConditions 10 []string omitempty listType=atomic
 bindingFailureConditions 11 []string omitempty listType=atomic
 allowMultipleAllocations 12 *bool omitempty
 nodeAllocatableResourceMappings 13 map[core.v1.ResourceName]resource.v1.NodeAllocatableResourceMapping omitempty
struct resource.v1.DeviceAllocationConfiguration
 source 1 resource.v1.AllocationConfigSource required
 requests 2 []string omitempty listType=atomic
 deviceConfiguration 3 resource.v1.DeviceConfiguration inline
enum resource.v1.DeviceAllocationMode string ["All","ExactCount"]
struct resource.v1.DeviceAllocationResult
 results 1 []resource.v1.DeviceRequestAllocationResult omitempty listType=atomic
 config 2 []resource.v1.DeviceAllocationConfiguration omitempty listType=atomic
struct resource.v1.DeviceAttribute
 int 2 *int64 omitempty
 bool 3 *bool omitempty
 string 4 *string omitempty
 version 5 *string omitempty
 ints 6 []int64 omitempty listType=atomic
 bools 7 []bool omitempty listType=atomic
 strings 8 []string omitempty listType=atomic
 versions 9 []string omitempty listType=atomic
struct resource.v1.DeviceCapacity
 value 1 machinery.api.resource.Quantity required
 requestPolicy 2 *resource.v1.CapacityRequestPolicy omitempty
struct resource.v1.DeviceClaim
 requests 1 []resource.v1.DeviceRequest listType=atomic
 constraints 2 []resource.v1.DeviceConstraint omitempty listType=atomic
 config 3 []resource.v1.DeviceClaimConfiguration omitempty listType=atomic
struct resource.v1.DeviceClaimConfiguration
 requests 1 []string omitempty listType=atomic
 deviceConfiguration 2 resource.v1.DeviceConfiguration inline
struct resource.v1.DeviceClass gvk=resource.k8s.io/v1/DeviceClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 resource.v1.DeviceClassSpec required
struct resource.v1.DeviceClassConfiguration
 deviceConfiguration 1 resource.v1.DeviceConfiguration inline
struct resource.v1.DeviceClassList gvk=resource.k8s.io/v1/DeviceClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []resource.v1.DeviceClass required
struct resource.v1.DeviceClassSpec
 selectors 1 []resource.v1.DeviceSelector omitempty listType=atomic
 config 2 []resource.v1.DeviceClassConfiguration omitempty listType=atomic
 extendedResourceName 4 *string omitempty
struct resource.v1.DeviceConfiguration
 opaque 1 *resource.v1.OpaqueDeviceConfiguration omitempty
struct resource.v1.DeviceConstraint
 requests 1 []string omitempty listType=atomic
 matchAttribute 2 *resource.v1.FullyQualifiedName omitempty
 distinctAttribute 3 *resource.v1.FullyQualifiedName omitempty
struct resource.v1.DeviceCounterConsumption
 counterSet 1 string required
 counters 2 map[string]resource.v1.Counter required omitempty
struct resource.v1.DeviceRequest
 name 1 string required
 exactly 2 *resource.v1.ExactDeviceRequest omitempty
 firstAvailable 3 []resource.v1.DeviceSubRequest omitempty listType=atomic
struct resource.v1.DeviceRequestAllocationResult
 request 1 string required
 driver 2 string required
 pool 3 string required
 device 4 string required
 adminAccess 5 *bool omitempty
 tolerations 6 []resource.v1.DeviceToleration omitempty listType=atomic
 bindingConditions 7 []string omitempty listType=atomic
 bindingFailureConditions 8 []string omitempty listType=atomic
 shareID 9 *machinery.types.UID omitempty
 consumedCapacity 10 map[resource.v1.QualifiedName]machinery.api.resource.Quantity omitempty
struct resource.v1.DeviceSelector
 cel 1 *resource.v1.CELDeviceSelector omitempty
struct resource.v1.DeviceSubRequest
 name 1 string required
 deviceClassName 2 string required
 selectors 3 []resource.v1.DeviceSelector omitempty listType=atomic
 allocationMode 4 resource.v1.DeviceAllocationMode omitempty defaulted="ExactCount"
 count 5 int64 omitempty
 tolerations 6 []resource.v1.DeviceToleration omitempty listType=atomic
 capacity 7 *resource.v1.CapacityRequirements omitempty
struct resource.v1.DeviceTaint
 key 1 string required
 value 2 string omitempty
 effect 3 resource.v1.DeviceTaintEffect required
 timeAdded 4 *meta.v1.Time omitempty
enum resource.v1.DeviceTaintEffect string ["NoExecute","NoSchedule","None"]
struct resource.v1.DeviceToleration
 key 1 string omitempty
 operator 2 resource.v1.DeviceTolerationOperator omitempty default="Equal" defaulted="Equal"
 value 3 string omitempty
 effect 4 resource.v1.DeviceTaintEffect omitempty
 tolerationSeconds 5 *int64 omitempty
enum resource.v1.DeviceTolerationOperator string ["Equal","Exists"]
struct resource.v1.ExactDeviceRequest
 deviceClassName 1 string required
 selectors 2 []resource.v1.DeviceSelector omitempty listType=atomic
 allocationMode 3 resource.v1.DeviceAllocationMode omitempty defaulted="ExactCount"
 count 4 int64 omitempty
 adminAccess 5 *bool omitempty
 tolerations 6 []resource.v1.DeviceToleration omitempty listType=atomic
 capacity 7 *resource.v1.CapacityRequirements omitempty
scalar resource.v1.FullyQualifiedName string
struct resource.v1.NetworkDeviceData
 interfaceName 1 string omitempty
 ips 2 []string omitempty listType=atomic
 hardwareAddress 3 string omitempty
struct resource.v1.NodeAllocatableResourceMapping
 capacityKey 1 *resource.v1.QualifiedName omitempty
 allocationMultiplier 2 *machinery.api.resource.Quantity omitempty defaulted="1"
struct resource.v1.OpaqueDeviceConfiguration
 driver 1 string required
 parameters 2 machinery.runtime.RawExtension required
scalar resource.v1.QualifiedName string
struct resource.v1.ResourceClaim gvk=resource.k8s.io/v1/ResourceClaim
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 resource.v1.ResourceClaimSpec required
 status 3 resource.v1.ResourceClaimStatus omitempty
struct resource.v1.ResourceClaimConsumerReference
 apiGroup 1 string omitempty
 resource 3 string required
 name 4 string required
 uid 5 machinery.types.UID required
struct resource.v1.ResourceClaimList gvk=resource.k8s.io/v1/ResourceClaimList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []resource.v1.ResourceClaim required
struct resource.v1.ResourceClaimSpec
 devices 1 resource.v1.DeviceClaim
struct resource.v1.ResourceClaimStatus
 allocation 1 *resource.v1.AllocationResult omitempty
 reservedFor 2 []resource.v1.ResourceClaimConsumerReference omitempty patchStrategy=merge patchMergeKey=uid listType=map listMapKeys=uid
 devices 4 []resource.v1.AllocatedDeviceStatus omitempty listType=map listMapKeys=driver,device,pool,shareID
struct resource.v1.ResourceClaimTemplate gvk=resource.k8s.io/v1/ResourceClaimTemplate
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 resource.v1.ResourceClaimTemplateSpec required
struct resource.v1.ResourceClaimTemplateList gvk=resource.k8s.io/v1/ResourceClaimTemplateList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []resource.v1.ResourceClaimTemplate required
struct resource.v1.ResourceClaimTemplateSpec
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 resource.v1.ResourceClaimSpec required
struct resource.v1.ResourcePool
 name 1 string required
 generation 2 int64 required
 resourceSliceCount 3 int64 required
struct resource.v1.ResourceSlice gvk=resource.k8s.io/v1/ResourceSlice
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 resource.v1.ResourceSliceSpec required
struct resource.v1.ResourceSliceList gvk=resource.k8s.io/v1/ResourceSliceList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []resource.v1.ResourceSlice required
struct resource.v1.ResourceSliceSpec
 driver 1 string required
 pool 2 resource.v1.ResourcePool required
 nodeName 3 *string omitempty
 nodeSelector 4 *core.v1.NodeSelector omitempty
 allNodes 5 *bool omitempty
 devices 6 []resource.v1.Device omitempty listType=atomic
 perDeviceNodeSelection 7 *bool omitempty
 sharedCounters 8 []resource.v1.CounterSet omitempty listType=atomic
struct scheduling.v1.PriorityClass gvk=scheduling.k8s.io/v1/PriorityClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 value 2 int32
 globalDefault 3 bool omitempty
 description 4 string omitempty
 preemptionPolicy 5 *core.v1.PreemptionPolicy omitempty defaulted="PreemptLowerPriority"
struct scheduling.v1.PriorityClassList gvk=scheduling.k8s.io/v1/PriorityClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []scheduling.v1.PriorityClass required
struct storage.v1.CSIDriver gvk=storage.k8s.io/v1/CSIDriver
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 storage.v1.CSIDriverSpec required
struct storage.v1.CSIDriverList gvk=storage.k8s.io/v1/CSIDriverList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.CSIDriver required
struct storage.v1.CSIDriverSpec
 attachRequired 1 *bool omitempty defaulted=true
 podInfoOnMount 2 *bool omitempty defaulted=false
 volumeLifecycleModes 3 []storage.v1.VolumeLifecycleMode omitempty listType=set defaulted=["Persistent"]
 storageCapacity 4 *bool omitempty defaulted=false
 fsGroupPolicy 5 *storage.v1.FSGroupPolicy omitempty defaulted="ReadWriteOnceWithFSType"
 tokenRequests 6 []storage.v1.TokenRequest omitempty listType=atomic
 requiresRepublish 7 *bool omitempty defaulted=false
 seLinuxMount 8 *bool omitempty defaulted=false
 nodeAllocatableUpdatePeriodSeconds 9 *int64 omitempty
 serviceAccountTokenInSecrets 10 *bool omitempty
 preventPodSchedulingIfMissing 11 *bool omitempty
struct storage.v1.CSINode gvk=storage.k8s.io/v1/CSINode
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 storage.v1.CSINodeSpec required
struct storage.v1.CSINodeDriver
 name 1 string required
 nodeID 2 string required
 topologyKeys 3 []string listType=atomic
 allocatable 4 *storage.v1.VolumeNodeResources omitempty
struct storage.v1.CSINodeList gvk=storage.k8s.io/v1/CSINodeList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.CSINode required
struct storage.v1.CSINodeSpec
 drivers 1 []storage.v1.CSINodeDriver required patchStrategy=merge patchMergeKey=name listType=map listMapKeys=name
struct storage.v1.CSIStorageCapacity gvk=storage.k8s.io/v1/CSIStorageCapacity
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 nodeTopology 2 *meta.v1.LabelSelector omitempty
 storageClassName 3 string required
 capacity 4 *machinery.api.resource.Quantity omitempty
 maximumVolumeSize 5 *machinery.api.resource.Quantity omitempty
struct storage.v1.CSIStorageCapacityList gvk=storage.k8s.io/v1/CSIStorageCapacityList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.CSIStorageCapacity required
scalar storage.v1.FSGroupPolicy string ["File","None","ReadWriteOnceWithFSType"]
struct storage.v1.StorageClass gvk=storage.k8s.io/v1/StorageClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 provisioner 2 string required
 parameters 3 map[string]string omitempty
 reclaimPolicy 4 *core.v1.PersistentVolumeReclaimPolicy omitempty defaulted="Delete"
 mountOptions 5 []string omitempty listType=atomic
 allowVolumeExpansion 6 *bool omitempty
 volumeBindingMode 7 *storage.v1.VolumeBindingMode omitempty defaulted="Immediate"
 allowedTopologies 8 []core.v1.TopologySelectorTerm omitempty listType=atomic
struct storage.v1.StorageClassList gvk=storage.k8s.io/v1/StorageClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.StorageClass required
struct storage.v1.TokenRequest
 audience 1 string required
 expirationSeconds 2 *int64 omitempty
struct storage.v1.VolumeAttachment gvk=storage.k8s.io/v1/VolumeAttachment
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 spec 2 storage.v1.VolumeAttachmentSpec required
 status 3 storage.v1.VolumeAttachmentStatus omitempty
struct storage.v1.VolumeAttachmentList gvk=storage.k8s.io/v1/VolumeAttachmentList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.VolumeAttachment required
struct storage.v1.VolumeAttachmentSource
 persistentVolumeName 1 *string omitempty
 inlineVolumeSpec 2 *core.v1.PersistentVolumeSpec omitempty
struct storage.v1.VolumeAttachmentSpec
 attacher 1 string required
 source 2 storage.v1.VolumeAttachmentSource required
 nodeName 3 string required
struct storage.v1.VolumeAttachmentStatus
 attached 1 bool required
 attachmentMetadata 2 map[string]string omitempty
 attachError 3 *storage.v1.VolumeError omitempty
 detachError 4 *storage.v1.VolumeError omitempty
struct storage.v1.VolumeAttributesClass gvk=storage.k8s.io/v1/VolumeAttributesClass
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ObjectMeta omitempty
 driverName 2 string required
 parameters 3 map[string]string omitempty
struct storage.v1.VolumeAttributesClassList gvk=storage.k8s.io/v1/VolumeAttributesClassList
 TypeMeta - meta.v1.TypeMeta inline
 metadata 1 meta.v1.ListMeta omitempty
 items 2 []storage.v1.VolumeAttributesClass required
enum storage.v1.VolumeBindingMode string ["Immediate","WaitForFirstConsumer"]
struct storage.v1.VolumeError
 time 1 meta.v1.Time omitempty
 message 2 string omitempty
 errorCode 3 *int32 omitempty
scalar storage.v1.VolumeLifecycleMode string ["Ephemeral","Persistent"]
struct storage.v1.VolumeNodeResources
 count 1 *int32 omitempty
`;
