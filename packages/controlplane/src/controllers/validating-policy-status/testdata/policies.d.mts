import type { ValidatingAdmissionPolicy } from '@kubewright/apimachinery/admissionregistration/v1';
import type { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';

export declare const definition: CustomResourceDefinition;
export declare const policies: readonly ValidatingAdmissionPolicy[];
