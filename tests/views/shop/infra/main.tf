module "eks" {
  source             = "terraform-aws-modules/eks/aws"
  version            = "21.19.0"
  name               = "shop"
  kubernetes_version = "1.34"

  eks_managed_node_groups = {
    system = {
      instance_types = ["m7g.large"]
      min_size       = 2
      max_size       = 3
      labels         = { "karpenter.sh/controller" = "true" }
      taints         = { critical = { key = "CriticalAddonsOnly", value = "true", effect = "NO_SCHEDULE" } }
    }
  }

  fargate_profiles = {
    batch = { selectors = [{ namespace = "reports" }] }
  }
}

module "karpenter" {
  source       = "terraform-aws-modules/eks/aws//modules/karpenter"
  version      = "21.19.0"
  cluster_name = module.eks.cluster_name
}

resource "helm_release" "karpenter_crd" {
  name       = "karpenter-crd"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter-crd"
  version    = "1.12.0"
  depends_on = [module.eks]
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.12.0"
  skip_crds  = true
  values = [yamlencode({
    nodeSelector = { "karpenter.sh/controller" = "true" }
    settings     = { clusterName = "shop", interruptionQueue = module.karpenter.queue_name }
  })]
  depends_on = [helm_release.karpenter_crd]
}

resource "kubectl_manifest" "burst" {
  yaml_body = yamlencode({
    apiVersion = "karpenter.sh/v1"
    kind       = "NodePool"
    metadata   = { name = "burst" }
    spec = {
      limits     = { cpu = 100 }
      disruption = { consolidateAfter = "30s", budgets = [{ nodes = "20%" }] }
      template = {
        spec = {
          nodeClassRef           = { group = "karpenter.k8s.aws", kind = "EC2NodeClass", name = "default" }
          terminationGracePeriod = "2m"
          taints                 = [{ key = "shop.example/burst", value = data.aws_region.current.region, effect = "NoSchedule" }]
          requirements           = [{ key = "karpenter.sh/capacity-type", operator = "In", values = ["spot"] }]
        }
      }
    }
  })
  depends_on = [helm_release.karpenter]
}

data "aws_region" "current" {}
